/* What cannot be solved leaves the nearest point, which is run as an input: here it is the only
 * way into a branch whose condition is not recorded.
 * never: beyond */
#include <labrys.h>
#include <math.h>

int main(void) {
  double u;
  long copy;
  labrys_symbolic(&u, sizeof u, "u");
  if ((u > 1e6) & (u < 2e6) & (sin(u) * cos(u) > 0.6)) labrys_target("beyond");
  /* The copy has no label. */
  __asm__("mov %1, %0" : "=r"(copy) : "m"(u));
  if (copy > 0x412e848000000000 && copy < 0x413e848000000000) labrys_target("near");
  return 0;
}
