/* Every comparison, signed and unsigned, at the edges of the ranges. */
#include <labrys.h>
#include <limits.h>

int main(void) {
  int a, b;
  unsigned u, v;
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  labrys_symbolic(&u, sizeof u, "u");
  labrys_symbolic(&v, sizeof v, "v");
  if (a < b && (unsigned)a > (unsigned)b) labrys_target("signs-differ");
  if (a == INT_MIN) labrys_target("minimum");
  if (a > INT_MAX - 1) labrys_target("maximum");
  if (u >= v && u <= v && u != 0) labrys_target("equal");
  if (u - v > u && v == 100000) labrys_target("wrap");
  if (a <= b && b <= a + 3 && a != b && a > 1000) labrys_target("between");
  if (a == b && a != b) labrys_target("contradiction");
  return 0;
}
/* never: contradiction */
