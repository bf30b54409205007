// inputs: a7
// each: alone
#include <labrys.h>
extern void up(void);
static __attribute__((noinline)) int body(int argc, char **argv) {
  volatile double one = 1, three = 3;
  double a = one / three;
  up();
  double b = one / three;
  if (a != b) labrys_target("differ");
  if (b > a) labrys_target("bigger");
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
//// native n.c
#include <fenv.h>
void up(void) { fesetround(FE_UPWARD); }
