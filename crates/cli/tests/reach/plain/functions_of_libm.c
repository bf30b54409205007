// Rust has functions of its own by these names.
#include <labrys.h>
#include <errno.h>
#include <math.h>
int main(int argc, char **argv) {
  volatile double ten = 10, x = 12345.678, minus = -1;
  // glibc rounds neither of them rightly.
  if (cbrt(ten) == 2.1544346900318834) labrys_target("ten");
  if (cbrt(x) == 23.11204184662531) labrys_target("more");
  errno = 0;
  double root = sqrt(minus);
  if (errno == EDOM) labrys_target("root");
  if (root == root) labrys_target("a_number");
  return 0;
}
