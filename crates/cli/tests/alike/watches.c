/* inotify, timerfd, eventfd, epoll, memory files and locks. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>
int main(void) {
  char folder[] = "/tmp/alikeXXXXXX", path[64];
  if (!mkdtemp(folder)) return 2;
  snprintf(path, sizeof path, "%s/x", folder);
  int watch = inotify_init(), file;
  inotify_add_watch(watch, folder, IN_CREATE | IN_DELETE);
  close(file = creat(path, 0600));
  unlink(path);
  char events[512] __attribute__((aligned(8)));
  ssize_t got = read(watch, events, sizeof events);
  for (char* at = events; at < events + got;) {
    struct inotify_event* event = (void*)at;
    printf("%x %s\n", event->mask, event->name);
    at += sizeof *event + event->len;
  }
  rmdir(folder);
  int timer = timerfd_create(CLOCK_MONOTONIC, 0), events_fd = eventfd(3, 0),
      poll = epoll_create1(0);
  struct itimerspec soon = {{0, 0}, {0, 5000000}};
  timerfd_settime(timer, 0, &soon, 0);
  unsigned long ticks = 0, counted = 0;
  read(timer, &ticks, 8);
  struct epoll_event ask = {EPOLLIN, {.u32 = 77}}, told = {0};
  epoll_ctl(poll, EPOLL_CTL_ADD, events_fd, &ask);
  printf("%lu %d %u\n", ticks, epoll_wait(poll, &told, 1, 1000), told.data.u32);
  read(events_fd, &counted, 8);
  int memory = memfd_create("m", 0);
  ftruncate(memory, 4096);
  char *one = mmap(0, 4096, 3, MAP_SHARED, memory, 0),
       *two = mmap(0, 4096, 3, MAP_SHARED, memory, 0);
  strcpy(one, "both");
  printf("%lu %s %d\n", counted, two, one == two);
  return 0;
}
