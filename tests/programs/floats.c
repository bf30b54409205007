/* Arithmetic and comparison of float and double. */
#include <labrys.h>
#include <math.h>

int main(void) {
  double x, y;
  float f;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  labrys_symbolic(&f, sizeof f, "f");
  if (x > 100.5 && x < 100.75) labrys_target("between");
  if (x + y == 10.0 && x - y == 4.0) labrys_target("linear");
  if (f * 0.5f == 3.25f) labrys_target("float");
  if (f != f) labrys_target("nan");
  if (x == -INFINITY) labrys_target("infinity");
  if (x * 3 == 4.5 && !(y < 0) && y <= 0) labrys_target("zero");
  if (fabs(y) == 2.5 && y < 0) labrys_target("fabs");
  if (floor(x) == 41 && ceil(x) == 42) labrys_target("floor");
  if (sqrt(y) == 12) labrys_target("sqrt");
  if (x / 8 == 0.40625) labrys_target("divide");
  if (fmax(x, y) == 7.5 && fmin(x, y) == -7.5) labrys_target("fmax");
  return 0;
}
