/* Six functions on which minimizers are tried: the target is where all residuals vanish. */
#include <labrys.h>
#include <math.h>

int main(void) {
  unsigned char which;
  double a, b, c, d;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  labrys_symbolic(&c, sizeof c, "c");
  labrys_symbolic(&d, sizeof d, "d");
  switch (which) {
    case 0:
      if (10 * (b - a * a) == 0 && 1 - a == 0) labrys_target("Rosenbrock");
      break;
    case 1:
      if (-13 + a + ((5 - b) * b - 2) * b == 0 && -29 + a + ((b + 1) * b - 14) * b == 0)
        labrys_target("Freudenstein-and-Roth");
      break;
    case 2:
      if (1.5 - a * (1 - b) == 0 && 2.25 - a * (1 - b * b) == 0 && 2.625 - a * (1 - b * b * b) == 0)
        labrys_target("Beale");
      break;
    case 3:
      if (a + 10 * b == 0 && sqrt(5) * (c - d) == 0 && (b - 2 * c) * (b - 2 * c) == 0 &&
          sqrt(10) * (a - d) * (a - d) == 0)
        labrys_target("Powell");
      break;
    case 4:
      if (10 * (b - a * a) == 0 && 1 - a == 0 && sqrt(90) * (d - c * c) == 0 && 1 - c == 0 &&
          sqrt(10) * (b + d - 2) == 0 && (b - d) / sqrt(10) == 0)
        labrys_target("Wood");
      break;
    case 5: {
      double turn = atan2(b, a) / (2 * 3.14159265358979323846);
      if (10 * (c - 10 * turn) == 0 && 10 * (sqrt(a * a + b * b) - 1) == 0 && c == 0)
        labrys_target("helical-valley");
    }
  }
  return 0;
}
