// inputs: 00 09 20
// assumes: no check of undefined behaviour fails
/* What a check was passed for is no constant: a build without checks goes on. */
#include "labrys.h"
static int after_zeros(unsigned n) {
  int zeros = __builtin_ctz(n);
  if (__builtin_ffs(n) == 0) labrys_target("no_one");
  return zeros;
}
static int values[4], further[64];
static int after_index(unsigned n) {
  values[n] = 1;
  if (n >= 4) labrys_target("outside");
  return further[n];
}
static int after_shift(unsigned n) {
  int shifted = 1 << n;
  if (n > 31) labrys_target("far");
  return shifted;
}
int main(void) {
  unsigned char n;
  labrys_symbolic(&n, 1, "n");
  return after_zeros(n) + after_index(n) + after_shift(n);
}
