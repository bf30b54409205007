/* Conditions for the concolic walk: figure 5.1 of the dissertation, calls of libm. */
#include <labrys.h>
#include <math.h>
#include <string.h>

static void example1(int x, int y) {
  int z = x * y;
  if (x == z) {
    if (x > 2) labrys_target("example1");
  }
}

static void example2(double u) {
  long v;
  memcpy(&v, &u, sizeof v);
  long w = v & 0xff000;
  if (w > 0) labrys_target("example2");
}

static double twice(double (*function)(double), double u) {
  return function(function(u));
}

int main(void) {
  unsigned char which;
  int x, y, n;
  double u, v;
  float f;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  labrys_symbolic(&n, sizeof n, "n");
  labrys_symbolic(&u, sizeof u, "u");
  labrys_symbolic(&v, sizeof v, "v");
  labrys_symbolic(&f, sizeof f, "f");
  switch (which) {
    case 0: example1(x, y); break;
    case 1: example2(u); break;
    case 2:
      if (sin(u) > 0.5 && x * x * x == y + 3 && x > 5) labrys_target("sine-and-cube");
      break;
    case 3:
      if (pow(u, v) == 1024 && u > 2 && v > 2) labrys_target("power");
      break;
    case 4:
      if (twice(cosh, v) > 1e6 && v < 3) labrys_target("by-pointer");
      break;
    case 5:
      if (ldexpf(f, n) == 96 && n > 3) labrys_target("scaled");
      break;
    case 6:
      if (lround(v) == 77 && v < 77) labrys_target("rounded");
      break;
    case 7:
      if (atan2(u, v) > 3 && hypot(u, v) < 1) labrys_target("angle");
  }
  return 0;
}
