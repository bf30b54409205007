/* Between integers and floats, float and double, and their bit patterns. */
#include <labrys.h>
#include <stdint.h>
#include <string.h>

int main(void) {
  int i;
  unsigned u;
  double d;
  float f;
  labrys_symbolic(&i, sizeof i, "i");
  labrys_symbolic(&u, sizeof u, "u");
  labrys_symbolic(&d, sizeof d, "d");
  labrys_symbolic(&f, sizeof f, "f");
  if ((double)i * 0.5 == -123456.5) labrys_target("from-int");
  if ((float)u == 3e9f) labrys_target("from-unsigned");
  if (d > 0 && d < 1e6 && (int)d == 31337) labrys_target("to-int");
  if (f > 0 && f < 100 && (unsigned char)f == 65) labrys_target("to-byte");
  if ((double)f == 0.1f && f > 0) labrys_target("widen");
  if ((float)d == 1.5f && d != 1.5) labrys_target("narrow");
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  if ((bits >> 52 & 0x7ff) == 1023 + 10 && d < 0) labrys_target("exponent");
  return 0;
}
