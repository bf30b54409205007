/* Habits that must harm nobody, one for each first letter. What counts is that every letter is
 * tried, and that nothing is left when the search is over. */
#include <labrys.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void forever(void) {
  for (;;) pause();
}

static void *idle(void *unused) {
  (void)unused;
  forever();
  return 0;
}

static int deep(int n) {
  volatile char pad[32] = {0};
  return n == 0 ? pad[0] : deep(n - 1) + pad[1];
}

__attribute__((noinline)) static void leave_home(void) {
  char here[4096];
  unlink("../stdin");
  if (getcwd(here, sizeof here)) rmdir(here);
}

/* Takes with it what Labrys reads of the run. */
__attribute__((noinline)) static void write_over_shared_memory(void) {
  char line[512], kind[8];
  unsigned long low, high;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    int count = sscanf(line, "%lx-%lx %7s", &low, &high, kind);
    if (count == 3 && kind[1] == 'w' && kind[3] == 's') memset((void *)low, 255, 8192);
  }
}

int main(void) {
  char b[4] = {0};
  if (read(0, b, 4) < 1) return 0;
  switch (b[0]) {
  case 'a':
    labrys_target("daemon");
    if (fork() == 0) {
      setsid();
      if (fork() == 0) forever();
      _exit(0);
    }
    break;
  case 'b':
    labrys_target("bomb");
    for (int i = 0; i < 60; i++)
      if (fork() == 0) forever();
    forever();
    break;
  case 'c': {
    labrys_target("threads");
    pthread_t thread;
    for (int i = 0; i < 20; i++) pthread_create(&thread, 0, idle, 0);
    break;
  }
  case 'd':
    labrys_target("closed");
    for (int fd = 0; fd < 1024; fd++) close(fd);
    break;
  case 'e': {
    labrys_target("output");
    static char block[1 << 16];
    for (;;) fwrite(block, 1, sizeof block, stdout);
  }
  case 'f':
    labrys_target("memory");
    for (;;) {
      char *p = malloc(1 << 22);
      if (p) memset(p, 1, 1 << 22);
    }
  case 'g':
    labrys_target("stubborn");
    for (int s = 1; s < 64; s++) signal(s, SIG_IGN);
    forever();
    break;
  case 'h':
    labrys_target("heap");
    memset(malloc(16), 7, 4000);
    free(malloc(40));
    break;
  case 'i': {
    labrys_target("stack");
    char small[8];
    memset(small, b[1], 200 + (b[1] & 1));
    return small[b[2] & 7];
  }
  case 'j':
    labrys_target("exec");
    execlp("sleep", "sleep", "1000", (char *)0);
    break;
  case 'k':
    labrys_target("child");
    if (fork() == 0) _exit(3);
    break;
  case 'l': {
    labrys_target("files");
    mkdir("left", 0);
    int file = open("behind", O_CREAT | O_WRONLY, 0);
    close(file);
    chdir("/");
    break;
  }
  case 'm':
    labrys_target("deep");
    return deep(100000);
  case 'n': {
    labrys_target("endless");
    int zero = open("/dev/zero", O_RDONLY);
    while (read(zero, b, 1) == 1) {}
    break;
  }
  case 'o':
    labrys_target("group");
    kill(0, SIGKILL);
    break;
  case 'p':
    labrys_target("parent");
    kill(getppid(), SIGKILL);
    break;
  case 'q': {
    labrys_target("limits");
    struct rlimit none = {0, 0};
    for (int i = 0; i < 16; i++) setrlimit(i, &none);
    break;
  }
  case 'r':
    labrys_target("loop");
    for (;;) {}
  case 's':
    labrys_target("stopped");
    kill(getppid(), SIGSTOP);
    break;
  case 't':
    labrys_target("homeless");
    leave_home();
    break;
  case 'u':
    labrys_target("deep-folders");
    for (int i = 0; i < 3000; i++)
      if (mkdir("d", 0700) || chdir("d")) break;
    break;
  case 'v': write_over_shared_memory();
  }
  return 0;
}
