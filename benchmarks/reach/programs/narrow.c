// True for one of 2^32 integers (dissertation, figure 4.6).
#include <labrys.h>

static void narrow(int x) {
  int y;
  if (x >= 0)
    y = x;
  else
    y = -x;
  if (y < 0) labrys_target("t1");
}

int main(void) {
  int x;
  labrys_symbolic(&x, sizeof x, "x");
  narrow(x);
  return 0;
}
