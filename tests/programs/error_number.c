// Functions of libm are those of the system, which set `errno`.
#include <errno.h>
#include <labrys.h>
#include <math.h>

int main(void) {
  int n;
  double root = 0, rest = 0;
  labrys_symbolic(&n, sizeof n, "n");
  errno = 0;
  if (n < 0) root = sqrt(n);
  if (errno == EDOM) labrys_target("root of a negative number");
  errno = 0;
  if (n == 0) rest = fmod(7, n);
  if (errno == EDOM) labrys_target("rest of a division by zero");
  return root + rest > 1e9;
}
