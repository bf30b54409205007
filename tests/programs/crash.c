/* A planted null pointer and a planted failed assertion. */
#include <assert.h>
#include <labrys.h>

int main(void) {
  int x, y;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  int *p = x * 3 == 999 ? 0 : &y;
  if (y == 17) {
    labrys_target("write");
    *(volatile int *)p = 1;
  }
  assert(x + y != 4711);
  return 0;
}
/* failures: assertion null-dereference */
