// A target behind two conditions that exclude each other, after ten decisions (dissertation,
// figure 4.4).
#include <labrys.h>

static void unreachable(const int *x) {
  int y = 0;
#define PART(i)          \
  if (x[i] > 0)          \
    y = y + 1;           \
  else                   \
    y = y + 2;
  PART(0) PART(1) PART(2) PART(3) PART(4) PART(5) PART(6) PART(7) PART(8)
  if (y > 0) {
    if (y == 0) labrys_target("t1");
  }
}

int main(void) {
  int x[10];
  labrys_symbolic(x, sizeof x, "x");
  unreachable(x);
  return 0;
}
