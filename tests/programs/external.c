/* Functions of the mathematics library. */
#include <labrys.h>
#include <math.h>

int main(void) {
  double x;
  int n;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&n, sizeof n, "n");
  if (n > 0 && n < 100000 && sqrt((double)n) == 211) labrys_target("square-root");
  if (fabs(x) == 1.5 && copysign(1.0, x) < 0) labrys_target("sign");
  if (round(x) == 1000 && x < 1000) labrys_target("rounded");
  return 0;
}
