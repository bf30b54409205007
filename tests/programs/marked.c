/* Functions that are marked as pure: conditions on what they give are solved by calling them. */
#include <labrys.h>
#include <math.h>

/* Height of water in a tank after so many seconds: a loop that symbolic execution would unroll. */
labrys_pure static double level(double inflow, int seconds) {
  double height = 1;
  if (seconds > 5000) seconds = 5000;
  for (int i = 0; i < seconds; i++) height += 0.01 * (inflow - 0.3 * sqrt(height > 0 ? height : 0));
  return height;
}

/* An integer hash, four rounds. */
labrys_pure static unsigned mix(unsigned x) {
  for (int i = 0; i < 4; i++) x = (x ^ x >> 15) * 0x2c1b3c6du + 7;
  return x;
}

/* Crashes on some arguments, which the explorer survives. */
labrys_pure static long share(long whole, long parts) { return whole / parts; }

labrys_pure static float cube(float x) { return x * x * x; }

int main(void) {
  unsigned char which;
  double u;
  int n;
  long a, b;
  float f;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&u, sizeof u, "u");
  labrys_symbolic(&n, sizeof n, "n");
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  labrys_symbolic(&f, sizeof f, "f");
  switch (which) {
    case 0:
      if (n > 100 && level(u, n) > 7.5 && level(u, n) < 7.6) labrys_target("level");
      break;
    case 1:
      if (mix(n) % 100 == 42 && n > 1000) labrys_target("mixed");
      break;
    case 2:
      if (b != 0 && b != -1)
        if (share(a, b) == 77 && b > 10) labrys_target("share");
      break;
    case 3:
      if (cube(f) > 1000 && cube(f) < 1001) labrys_target("cube");
  }
  return 0;
}
