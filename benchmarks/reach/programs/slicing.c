// Ten decisions that have nothing to do with the target (dissertation, figure 4.5).
#include <labrys.h>

static int sink;

static void slicing(const int *x) {
#define PART(i)          \
  if (x[i] > 0)          \
    sink += i;           \
  else                   \
    sink -= i;
  PART(0) PART(1) PART(2) PART(3) PART(4) PART(5) PART(6) PART(7) PART(8)
  int y = 0;
  if (x[9] > 5) y = sink & 0;
  if (y == 1) labrys_target("t1");
}

int main(void) {
  int x[10];
  labrys_symbolic(x, sizeof x, "x");
  slicing(x);
  return 0;
}
