// A sine from the bits of a double: reduction by quadrants and two polynomials, after the
// program of this name in the literature on symbolic execution of floating point.
#include <labrys.h>
#include <string.h>

static double sine(double x) {
  const double half_pi = 1.5707963267948966;
  unsigned long bits;
  memcpy(&bits, &x, sizeof bits);
  unsigned exponent = (unsigned)(bits >> 52) & 0x7ff;
  int sign = (int)(bits >> 63);
  if (exponent == 0x7ff) return x - x;
  if (exponent < 0x3ff - 27) return x;
  double y = sign ? -x : x;
  if (y > 1.0e6) {
    labrys_target("t2");
    return 0.0;
  }
  int quadrant = 0;
  if (y > half_pi) {
    double turns = y / half_pi;
    quadrant = (int)turns;
    y = y - quadrant * half_pi;
  }
  if (quadrant & 2) sign = !sign;
  double z = y * y, r;
  if (quadrant & 1)
    r = 1.0 - z * (0.5 - z * (0.0416666666666 - z * 0.00138888888));
  else
    r = y * (1.0 - z * (0.16666666666 - z * (0.00833333333 - z * 0.000198412)));
  if (r < 0.0) r = 0.0;
  if (r == 0.5) labrys_target("t1");
  return sign ? -r : r;
}

int main(void) {
  double x;
  labrys_symbolic(&x, sizeof x, "x");
  return sine(x) > 0.5;
}
