/* A sine by hand, in the manner of old mathematics libraries: the sign, the exponent and the
 * mantissa are taken out of the bits of the number, the argument is reduced, tables of cases and
 * polynomials do the rest. */
#include <labrys.h>
#include <stdint.h>
#include <string.h>

static uint64_t to_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double series(double x) {
  double z = x * x;
  return x + x * z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z / 362880)));
}

static double even_series(double x) {
  double z = x * x;
  return 1 + z * (-0.5 + z * (1.0 / 24 + z * (-1.0 / 720 + z / 40320)));
}

static double sine(double x) {
  uint64_t bits = to_bits(x);
  int sign = bits >> 63;
  int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  uint64_t mantissa = bits & 0xfffffffffffffULL;
  if (exponent == 1024) {
    labrys_target(mantissa ? "not-a-number" : "infinite");
    return of_bits(0x7ff8000000000000ULL);
  }
  if (exponent < -27) return x;
  double y = of_bits(bits & 0x7fffffffffffffffULL);
  if (exponent > 20) {
    if (mantissa == 0x123456789abcdULL) labrys_target("one mantissa");
    return sign ? -2 : 2;
  }
  int64_t octant = (int64_t)(y * (4 / 3.14159265358979323846));
  if (octant & 1) octant++;
  double r = y - (double)octant * (3.14159265358979323846 / 4);
  double result;
  switch (octant & 7) {
    case 0: result = series(r); break;
    case 2: result = even_series(r); break;
    case 4: result = -series(r); break;
    default: result = -even_series(r); break;
  }
  return sign ? -result : result;
}

int main(void) {
  double x;
  labrys_symbolic(&x, sizeof x, "x");
  double s = sine(x);
  if (s > 0.99 && s < 0.9901) labrys_target("narrow");
  if (s < -0.5 && x > 1000) labrys_target("far");
  uint64_t bits = to_bits(x);
  if ((bits & 0xff000) == 0x5a000 && s > 0 && s <= 1) labrys_target("pattern");
  if ((bits >> 52) == 0x401 && s == to_bits(x) * 0.0) labrys_target("root");
  return 0;
}
