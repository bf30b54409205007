/* A callee that takes fewer arguments than it is given; the next one is given the same value. */
#include <labrys.h>

__attribute__((noinline)) static int one(int a) {
  if (a == 3) return 1;
  return 0;
}

__attribute__((noinline)) static int two(int a, int b) {
  if (b == 7) return 2;
  if (a == 5) return 1;
  return 0;
}

int main(void) {
  int x, y;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  int (*volatile given_two)(int, int) = (int (*)(int, int))one;
  int sum = given_two(x, y);
  sum += two(x, 0);
  return sum == 4;
}
