// options: -mfma
// inputs: 00 01 02 03
#include <labrys.h>
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  volatile double va = 1.0+(c&3)*0x1p-30;
  double a = va, b = va;
  double p = a*b;
  double r = a*b-p;
  /* contraction within an expression */
  if (r != 0) labrys_target("fused");
  return 0;
}
