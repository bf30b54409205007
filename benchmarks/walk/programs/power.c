/* Exponentials and powers in the middle of control flow. */
#include <labrys.h>
#include <math.h>

int main(void) {
  double x, y;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  double p = pow(x, y);
  if (p == 8) {
    labrys_target("eight");
    if (y > 1) labrys_target("eight by a power above one");
  } else if (p > 1e6 && p < 1e6 + 1) {
    labrys_target("a million");
  }
  double e = exp(x);
  if (e > y) {
    if (e < y + 0.001) labrys_target("close");
  } else if (exp2(y) < 3 && y > 1) {
    labrys_target("small");
  }
  return 0;
}
