// inputs: 00 01 02 03
#include <labrys.h>
#include <math.h>
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  double a = 1.0+c*0x1p-30;
  double p = a*a;
  if (fma(a, a, -p) != 0) labrys_target("fused");
  if (__builtin_fma(a, a, -p) != 0) labrys_target("fused2");
  return 0;
}
