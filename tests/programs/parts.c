/* Library functions with a second result that is written through a pointer. */
#include <labrys.h>
#include <math.h>

#ifndef _GNU_SOURCE
void sincos(double x, double *sine, double *cosine);
#endif

int main(void) {
  unsigned char which;
  double u, v, whole, sine, cosine;
  float f, rest;
  int exponent;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&u, sizeof u, "u");
  labrys_symbolic(&v, sizeof v, "v");
  labrys_symbolic(&f, sizeof f, "f");
  switch (which) {
    case 0:
      if (frexp(u, &exponent) == 0.8125 && exponent == 37) labrys_target("taken-apart");
      break;
    case 1:
      if (frexp(u, &exponent) < -0.9 && exponent < -1060) labrys_target("subnormal");
      break;
    case 2:
      if (modf(u, &whole) == 0.375 && whole * whole == 1764) labrys_target("fraction");
      break;
    case 3:
      rest = modff(f, &f);
      if (f == 9 && rest < 0.001f && rest > 0) labrys_target("single");
      break;
    case 4:
      sincos(u, &sine, &cosine);
      if (sine * v > 3 && cosine * v < -3.5 && v < 5) labrys_target("both");
      break;
    case 5:
      if (lgamma_r(u, &exponent) > 2 && exponent < 0 && u < -3) labrys_target("sign");
      break;
    case 6:
      if (remquo(u, 3.5, &exponent) == -1.25 && exponent == 6 && u > 100) labrys_target("quotient");
      break;
    case 7:
      if (__builtin_frexp(u, &exponent) == -0.625 && exponent == -20) labrys_target("intrinsic");
      break;
    case 8:
      if (__builtin_frexpf(f, &exponent) > 0.99f && exponent == 100) labrys_target("single-intrinsic");
  }
  return 0;
}
