/* The two methods of figure 5.1: blind commitment to a value leads past their targets. */
#include <labrys.h>
#include <string.h>

static void product(int x, int y) {
  int z = x * y;
  if (x == z)
    if (x > 2) labrys_target("product");
}

static void bits(double u) {
  long v;
  memcpy(&v, &u, sizeof v);
  if ((v & 0xff000) > 0) labrys_target("bits");
}

int main(void) {
  int x, y;
  double u;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  labrys_symbolic(&u, sizeof u, "u");
  product(x, y);
  bits(u);
  return 0;
}
