/* Assumptions restrict what counts as an input. */
#include <labrys.h>

int main(void) {
  int x, y;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  labrys_assume(x > 10 && x < 100);
  labrys_assume(y == x * x);
  if (y == 49 * 49) labrys_target("square");
  if (x < 5) labrys_target("too-small");
  if (y % 1000 == 721) labrys_target("remainder");
  if (x == 100) labrys_target("too-large");
  return 0;
}
/* never: too-small too-large */
