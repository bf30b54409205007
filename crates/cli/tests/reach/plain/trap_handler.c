// proved: control
// inputs: a7
// options: -ftrapv -ftrapv-handler=overflowed
#include <labrys.h>
static int never, seen;
long long overflowed(long long a, long long b, unsigned char op, unsigned char width) { seen = op; labrys_target("handler"); return 5; }
static __attribute__((noinline)) int body(int argc, char **argv) {
  volatile int big = 0x7fffffff, one = 1;
  int x = big + one;
  if (x == 5) labrys_target("result");
  if (seen) labrys_target("effect");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
