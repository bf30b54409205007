// options: -march=native -ffp-contract=fast
// inputs: 00 01 02 03
#include <labrys.h>
static double sub(double x, double y, double z) {
  return x*y+z;
}
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  double a = 1.0+c*0x1p-30;
  double p = a*a;
  if (sub(a, a, -p) != 0) labrys_target("fused");
  return 0;
}
