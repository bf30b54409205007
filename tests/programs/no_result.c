#include <labrys.h>
#include <limits.h>
/* A decision on the result of an operation that has none goes one way or the other, and the run goes
 * on: clang knows that the number is too large, and a build that puts `number` in line does. */
static int number(double d) { return (int)d; }
int main(void) {
  unsigned char in[2];
  labrys_symbolic(in, sizeof in, "in");
  if (in[0] == 1) labrys_target("before");
  if ((long)(float)LONG_MAX != LONG_MAX) in[0] = 0;
  if (number(1e30) < 0) in[0] = 0;
  if (in[1] == 7) labrys_target("behind");
  return 0;
}
