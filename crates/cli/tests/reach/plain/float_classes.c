// inputs: 0000000000001000ffff7f7f 000000000000f87f0000c07f 010000000000f0ff010080ff
// proved: never nan_equal signal infinite half
#include <labrys.h>
#include <math.h>
/* Classes of numbers, which the compiler asks for by one operation. */
int main(void) {
  double x;
  float y;
  labrys_symbolic(&x, 8, "x");
  labrys_symbolic(&y, 4, "y");
  double z = x * 0.5;
  if (isnormal(z) && !isnormal(x)) labrys_target("never");
  if (!isnormal(z) && isnormal(x) && z != 0) labrys_target("subnormal");
  if (isfinite(y) && !isfinite(y * 2)) labrys_target("overflows");
  if (isnan(y) && y == y) labrys_target("nan_equal");
  if (isnan(y) && !isnormal(y)) labrys_target("nan");
  if (__builtin_issignaling(x)) labrys_target("signaling");
  if (__builtin_issignaling(x) && !isnan(x)) labrys_target("signal");
  if (isinf(x - 1) && isfinite(x)) labrys_target("infinite");
  if (__builtin_issubnormal(y) && isnormal(y)) labrys_target("half");
  return 0;
}
