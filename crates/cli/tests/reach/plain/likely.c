// inputs: a7
// proved: control
#include <labrys.h>
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  if (__builtin_expect_with_probability(argc > 0, 0, 0.9)) labrys_target("not_likely");
  if (__builtin_expect(argc == 1, 0)) labrys_target("not_expected");
  if (__builtin_expect_with_probability(never, 1, 0.5)) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
