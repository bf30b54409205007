/* In the manner of the examples that introduced directed random testing: polynomials whose
 * branches lie beyond an overflow. */
#include <labrys.h>

static int polynomial(int x) { return x * x * x + 3 * x * x + 9; }

int main(void) {
  int x, y;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  if (x * x * x > 0) {
    if (x > 0 && y == 10) labrys_target("cube");
    if (x < 0) labrys_target("overflow");
  } else {
    if (x > 0 && y == 20) labrys_target("negative cube");
  }
  if (polynomial(y) == 2 * x + 1 && x > 100000) labrys_target("polynomial");
  return 0;
}
