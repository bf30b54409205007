// Non-linear arithmetic (dissertation, figure 4.3).
#include <labrys.h>

static void dart(int x, int y) {
  if (x * x * x > 0) {
    if (x > 0 && y == 10) labrys_target("t1");
  } else if (x > 0 && y == 20) {
    labrys_target("t2");
  }
}

int main(void) {
  int x, y;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  dart(x, y);
  return 0;
}
