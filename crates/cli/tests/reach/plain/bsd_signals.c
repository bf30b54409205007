// each: alone
// proved: control
// inputs: a7
#include <labrys.h>
#include <signal.h>
static int never, a, b, c;
static void one(int n) { a = 5; labrys_target("bsd"); }
static void two(int n) { b = 5; labrys_target("sysv"); }
static void three(int n) { c = 5; labrys_target("set"); }
extern void (*bsd_signal(int, void (*)(int)))(int);
extern void (*__sysv_signal(int, void (*)(int)))(int);
extern void (*sigset(int, void (*)(int)))(int);
static __attribute__((noinline)) int body(int argc, char **argv) {
  bsd_signal(SIGUSR1, one);
  a = 1;
  raise(SIGUSR1);
  if (a == 5) labrys_target("bsd_effect");
  __sysv_signal(SIGUSR2, two);
  b = 1;
  raise(SIGUSR2);
  if (b == 5) labrys_target("sysv_effect");
  sigset(SIGALRM, three);
  c = 1;
  raise(SIGALRM);
  if (c == 5) labrys_target("set_effect");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
