/* Conditions on single bits beside calls of libm: what the back end finds for the bits is where
 * the walk begins. */
#include <labrys.h>
#include <math.h>
#include <string.h>

int main(void) {
  unsigned char which;
  double u;
  long v;
  int n;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&u, sizeof u, "u");
  labrys_symbolic(&n, sizeof n, "n");
  memcpy(&v, &u, sizeof v);
  switch (which) {
    case 1:
      if ((v & 0xfffff000) == 0x5a3c7000 && sin(u) > 0.9) labrys_target("bits-then-sine");
      break;
    case 2:
      if (sin(u) > 0.9 && (v & 0xfffff000) == 0x5a3c7000) labrys_target("sine-then-bits");
      break;
    case 3:
      if ((v >> 12 & 0xffffff) * 7 % 65521 == 4242 && exp(u) > 20 && exp(u) < 30) labrys_target("remainder");
      break;
    case 4:
      if ((n ^ n << 7) == 0x12345 && log(n) > 3) labrys_target("folded");
      break;
    case 5:
      if (sin(n) > 0.5 && (n ^ n >> 9) % 4096 == 0x123 && n > 100000) labrys_target("large");
      break;
    case 6:
      if (cos(u) < -0.5 && ((v ^ v >> 17) & 0xffffffff) == 0x89abcdef && u > 1 && u < 1000) labrys_target("mixed");
  }
  return 0;
}
