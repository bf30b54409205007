// assumes: accesses of any type
#include <labrys.h>
static __attribute__((noinline)) int f(int*restrict a, int*restrict b) {
  *a = 1;
  *b = 2;
  return *a;
}
int main(void) {
  int x;
  int r = f(&x, &x);
  if (r == 1) labrys_target("one");
  if (r == 2) labrys_target("two");
  return 0;
}
