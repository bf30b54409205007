// inputs: a7
// each: alone
#include <labrys.h>
#include <signal.h>
#include <sys/time.h>
static int n, other;
static volatile int rounds, differ;
static void handler(int number) {
  if (n == 1) labrys_target("between");
  other++;
  if (++rounds > 300) _exit(0);
}
static __attribute__((noinline)) int body(int argc, char **argv) {
  signal(SIGALRM, handler);
  struct itimerval every = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &every, 0);
  for (;;) {
    n = 1;
    n = 2;
    int a = other;
    int b = other;
    if (a != b && !differ++) labrys_target("meanwhile");
  }
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
