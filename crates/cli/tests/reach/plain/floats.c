// each: alone
// proved: control
// inputs: a7
#include <labrys.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
static int never;
static uint64_t bits(double d) { uint64_t u; memcpy(&u, &d, 8); return u; }
static __attribute__((noinline)) int body(int argc, char **argv) {
  volatile double zero = 0, one = 1, big = 1e308, tiny = 5e-324, three = 3, neg = -8;
  volatile float f = 16777216, small = 1e-45f;
  double nan = zero / zero, inf = one / zero;
  if (nan != nan) labrys_target("nan");
  if (bits(nan) >> 63) labrys_target("negative_nan");
  if (signbit(-zero) && -zero == zero) labrys_target("minus_zero");
  if (1 / -zero < 0) labrys_target("reciprocal");
  if (!(nan < 1) && !(nan >= 1)) labrys_target("unordered");
  if (fmax(nan, one) == 1 && fmin(one, nan) == 1) labrys_target("fmax");
  if (f + 1 == f) labrys_target("absorbed");
  if (tiny / 2 == 0 && tiny > 0) labrys_target("denormal");
  if (big * 10 == inf) labrys_target("overflow");
  if ((float)(one + 0x1p-24 + 0x1p-53) == 1 + 0x1p-23f) labrys_target("rounded");
  if ((double)(uint64_t)0xfffffffffffffbffull == 0x1.fffffffffffffp63) labrys_target("unsigned");
  volatile uint64_t most = ~0ull;
  if ((double)most == 0x1p64) labrys_target("up");
  if ((float)most == 0x1p64f) labrys_target("up_float");
  if (fmod(neg, three) == -2) labrys_target("fmod");
  if (remainder(neg, three) == 1) labrys_target("remainder");
  if (rint(2.5 * one) == 2 && round(2.5 * one) == 3) labrys_target("halves");
  if (bits(copysign(nan, -1)) >> 63) labrys_target("copysign");
  if (sqrt(-zero) == 0 && signbit(sqrt(-zero))) labrys_target("root");
  if (isnan(sqrt(-one))) labrys_target("root_nan");
  if (pow(neg, one / three) != pow(neg, one / three)) labrys_target("pow");
  if (hypot(inf, nan) == inf) labrys_target("hypot");
  if (exp(-big) == 0 && exp(big) == inf) labrys_target("exp");
  if (tanh(big) == 1 && erf(big) == 1) labrys_target("tanh");
  if (isnan(exp(nan)) && isnan(cosh(nan)) && isnan(erf(nan))) labrys_target("through");
  if (atan2(-zero, -one) < -3) labrys_target("angle");
  if (fabs(-nan) != 0 && !(bits(fabs(-nan)) >> 63)) labrys_target("fabs");
  long double l = 1;
  l += 0x1p-63L;
  if (l != 1 && (double)l == 1) labrys_target("long");
  volatile long double back = 0x1p-16400L;
  if (back > 0 && (double)back == 0) labrys_target("long_small");
  _Float16 h = 2049 * f / f;
  if (h == 2048) labrys_target("half");
  __float128 q = one;
  q += 0x1p-100;
  if (q != 1) labrys_target("quad");
  if (small * 0.5f == 0 && small > 0) labrys_target("small");
  uint64_t quiet = 0x7ff8000000001234;
  double payload;
  memcpy(&payload, &quiet, 8);
  if ((bits(payload + one) & 0xffff) == 0x1234) labrys_target("payload");
  uint32_t signaling = 0x7fa00001;
  volatile float s;
  memcpy((void *)&s, &signaling, 4);
  float copy = s;
  uint32_t after;
  memcpy(&after, &copy, 4);
  if (after == signaling) labrys_target("signaling");
  double widened = s;
  if (bits(widened) & 1ull << 51) labrys_target("quieted");
  if (ilogb(zero) == FP_ILOGB0) labrys_target("ilogb");
  if (lrint(neg * 0.3125) == -2) labrys_target("lrint");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
