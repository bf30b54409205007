// inputs: a7
// each: alone
#include <labrys.h>
static volatile long rounds;
static int n;
static void handler(int number) { n = 5; }
void install(void (*)(int));
static __attribute__((noinline)) int body(int argc, char **argv) {
  install(handler);
  n = 1;
  for (rounds = 0; rounds < 300000000; rounds++) {
    if (*(volatile int *)&n == 5) {
      labrys_target("interrupted");
      break;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
//// native handlers.c
#include <signal.h>
#include <sys/time.h>
void install(void (*handler)(int)) {
  struct itimerval once = {{0, 0}, {0, 20000}};
  signal(SIGALRM, handler);
  setitimer(ITIMER_REAL, &once, 0);
}
