/* Arithmetic and comparison of float and double. */
#include <labrys.h>
#include <math.h>

int main(void) {
  unsigned char which;
  double x, y;
  float f;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  labrys_symbolic(&f, sizeof f, "f");
  switch (which) {
    case 0:
      if (x > 100.5 && x < 100.75) labrys_target("between");
      if (y != y) labrys_target("nan");
      if (f == -INFINITY) labrys_target("infinity");
      break;
    case 1:
      if (x + y == 10.0 && x - y == 4.0) labrys_target("linear");
      break;
    case 2:
      if (f * 0.5f == 3.25f) labrys_target("float");
      if (x / 8 == 0.40625) labrys_target("divide");
      break;
    case 3:
      if (x * 3 == 4.5 && !(y < 0) && y <= 0) labrys_target("zero");
      break;
    case 4:
      if (fabs(y) == 2.5 && y < 0) labrys_target("fabs");
      if (floor(x) == 41 && ceil(x) == 42) labrys_target("floor");
      break;
    case 5:
      if (sqrt(y) == 12) labrys_target("sqrt");
      break;
    case 6:
      if (fmax(x, y) == 7.5 && fmin(x, y) == -7.5) labrys_target("fmax");
  }
  return 0;
}
