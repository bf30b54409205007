// The motivating example of the papers: a loop that must go round 1,024 times, and a library
// function.
#include <labrys.h>
#include <math.h>

static void challenges(int x, double u) {
  int res = 0, i = 0;
  while (i < x) {
    int tmp = i % 2;
    if (tmp == 0)
      res = res - 1;
    else
      res = res + 17;
    i = i + 1;
  }
  if (res == 8192) {
    if (sin(u) > 0) labrys_target("t1");
  }
}

int main(void) {
  int x;
  double u;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&u, sizeof u, "u");
  challenges(x, u);
  return 0;
}
