/* A program with the smallest fork server there can be, for the executor's tests. What a run
   does is chosen by the first byte of its standard input, argument or objects. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* How a run ends whose standard input begins with y. */
#ifndef YES
#define YES 7
#endif

struct region { uint64_t offset, capacity; };
struct stream { uint32_t kind, index; uint64_t length, offset, device, inode; };
struct header {
  uint64_t magic;
  uint32_t version, mode;
  uint64_t size;
  struct region coverage, near, input, events, nodes, data;
  uint32_t events_per_branch, stream_count;
  uint64_t objects_end;
  struct stream streams[48];
  uint32_t event_count, node_count, data_used, overflow, exit_kind, objects_used, misuses[16];
  uint64_t concretizations[16];
};
struct event { uint8_t kind, aux; uint16_t reserved; uint32_t site, label, direction; uint64_t a, b; };
struct node { uint8_t op, flags; uint16_t width; uint32_t a, b, c; uint64_t imm, cv; };

static pid_t server;
static unsigned char *base;
static struct header *header;

static uint32_t text(const char *words) {
  uint32_t at = header->data_used;
  memcpy(base + header->data.offset + at, words, strlen(words));
  header->data_used = at + strlen(words);
  return at;
}

static void event(struct event event) {
  ((struct event *)(base + header->events.offset))[header->event_count++] = event;
}

/* if (byte == 'y') */
static void branch(unsigned char byte) {
  base[header->coverage.offset + (byte == 'y')] = 1;
  uint32_t *near = (uint32_t *)(base + header->near.offset) + (byte != 'y');
  uint32_t distance = abs(byte - 'y') + 1;
  if (*near > distance) *near = distance;
  if (header->mode == 0) return;
  struct node *nodes = (struct node *)(base + header->nodes.offset);
  nodes[1] = (struct node){.op = 1, .width = 8, .cv = byte};
  nodes[2] = (struct node){.op = 24, .flags = 2, .width = 1, .a = 1, .c = 8, .imm = 'y', .cv = byte == 'y'};
  header->node_count = 3;
  event((struct event){.kind = 1, .label = 2, .direction = byte == 'y'});
}

static void forever(void) {
  for (;;) pause();
}

static void stray(void) {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) forever();
    _exit(0);
  }
}

static void show(int count, char **arguments, char **environment) {
  for (int i = 1; i < count; i++) printf("argument %s\n", arguments[i]);
  for (char **variable = environment; *variable; variable++) printf("variable %s\n", *variable);
  for (int fd = 0; fd < 256; fd++)
    if (fcntl(fd, F_GETFD) >= 0) printf("descriptor %d\n", fd);
  struct stat file;
  if (stat("input", &file) == 0) {
    struct stream *stream = &header->streams[header->stream_count - 1];
    printf("identity %d\n", stream->device == file.st_dev && stream->inode == file.st_ino);
    printf("size %d\n", (int)file.st_size);
  }
}

static void act(int count, char **arguments, char **environment, const unsigned char *bytes, size_t length) {
  int local;
  branch(bytes[0]);
  switch (bytes[0]) {
  case 'a': abort();
  case 's': *(volatile int *)0 = 0; break;
  case 'h': forever(); break;
  case 'l': for (;;) {} break;
  case 'm':
    for (;;) {
      char *memory = malloc(1 << 20);
      memset(memory, 1, 1 << 20);
      usleep(100);
    }
  case 'g': stray(); exit(0);
  case 'G': stray(); forever(); break;
  case 'k': kill(0, SIGTERM); forever(); break;
  case 'K': kill(getppid(), SIGKILL); forever(); break;
  case 'S': kill(getppid(), SIGSTOP); exit(0);
  case '1':
    if (access("/dev/shm/labrys-test-once", F_OK) != 0) {
      close(open("/dev/shm/labrys-test-once", O_CREAT | O_WRONLY, 0600));
      kill(getppid(), SIGKILL);
    }
    exit(1);
  case 'A': header->exit_kind = 1; exit(0);
  case 'f':
    event((struct event){.kind = 11, .a = text("bad thing"), .b = 9});
    header->exit_kind = 2;
    abort();
  case 'w':
    if (access("left", F_OK) == 0) exit(1);
    close(open("left", O_CREAT | O_WRONLY, 0));
    mkdir("folder", 0);
    unlink("input");
    exit(0);
  case 'W': {
    char work[4096], other[4200];
    if (!getcwd(work, sizeof work)) exit(1);
    snprintf(other, sizeof other, "%s-moved", work);
    unlink("../stdin");
    exit(rename(work, other) ? 2 : 0);
  }
  case 'F': {
    int file = open("big", O_CREAT | O_WRONLY, 0600);
    char block[4096] = {0};
    for (;;) if (write(file, block, sizeof block) < 0) exit(9);
  }
  case 'e': show(count, arguments, environment); break;
  case 'p': printf("%p %p %p\n", (void *)&local, (void *)act, malloc(10)); break;
  case 'o': for (int i = 0; i < 1000; i++) printf("0123456789"); fprintf(stderr, "oops"); break;
  case 'c':
    header->event_count = header->node_count = header->data_used = 0xffffffff;
    memset(base + header->events.offset, 'c', header->events.capacity);
    memset(base + header->nodes.offset, 'c', header->nodes.capacity);
    break;
  case 'n': printf("%d", (int)length); break;
  case 'i': {
    struct event input = {.kind = 10, .aux = 2, .a = 0, .b = 4, .label = text("size"), .site = 4};
    event(input);
    header->objects_used = 4;
    break;
  }
  }
}

static void say(uint32_t status, uint32_t value) {
  uint32_t message[2] = {status, value};
  if (write(199, message, 8) != 8) _exit(1);
}

static void child(int count, char **arguments, char **environment) {
  unsigned char bytes[1 << 16] = {0};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != server) _exit(1);
  close(198);
  close(199);
  lseek(0, 0, SEEK_SET);
  size_t length = read(0, bytes, sizeof bytes);
  struct stream *stream = &header->streams[0];
  if (length == 0 && header->stream_count > 0 && stream->kind != 1) {
    length = stream->length;
    memcpy(bytes, base + header->input.offset + stream->offset, length);
  }
  act(count, arguments, environment, bytes, length);
  exit(bytes[0] == 'y' ? YES : 0);
}

int main(int count, char **arguments, char **environment) {
  if (count > 1 && strcmp(arguments[1], "--no-server") == 0) {
    fprintf(stderr, "usage: something else\n");
    return 3;
  }
  unsetenv("LABRYS_ACTIVE");
  struct stat region;
  if (fstat(197, &region) < 0) return 4;
  base = mmap(0, region.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, 197, 0);
  header = (struct header *)base;
  close(197);
  if (count > 1 && strcmp(arguments[1], "--failing-server") == 0) {
    say(3, ENOMEM);
    return 0;
  }
  if (count > 1 && strcmp(arguments[1], "--foreign-server") == 0) {
    say(3, EPROTO);
    return 0;
  }
  say(1, count > 1 && strcmp(arguments[1], "--old-server") == 0 ? 0 : header->version);
  server = getpid();
  uint32_t command[2];
  while (read(198, command, 8) == 8 && command[0] == 1) {
    int status;
    pid_t process = fork();
    if (process == 0) child(count, arguments, environ);
    waitpid(process, &status, 0);
    say(waitpid(-1, 0, WNOHANG) >= 0 ? 4 : 2, status);
  }
  return 0;
}
