// inputs: a7
// each: alone
#include <labrys.h>
#include <signal.h>
static int n;
static void h(int s) { if (n == 3) labrys_target("n3"); if (n == 5) labrys_target("n5"); labrys_target("trap"); _exit(0); }
static __attribute__((noinline)) int body(int argc, char **argv) {
  signal(SIGILL, h); signal(SIGTRAP, h);
  n = 3;
  __builtin_trap();
  n = 4;
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
