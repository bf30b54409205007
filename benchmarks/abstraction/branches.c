/* "branches" of Daca, Gupta and Henzinger (VMCAI 2016), figure 5: both goals are behind a function
 * that decides 30 inputs, and one of them behind one of its two calls only. */
#include <labrys.h>
#include <stdio.h>

enum { N = 30 };

static int input(void) {
  int x;
  labrys_symbolic(&x, sizeof x, "x");
  return x;
}

static int count(int y) {
  int c = 0;
  (void)y;
  for (int j = 0; j < N; j++) {
    if (input() == c) c++;
  }
  return c;
}

static void report(int y) {
  if (y < 20) {
    printf("Goal one\n");
  } else {
    printf("Goal two\n");
  }
}

int main(void) {
  int y = input(), x;
  if (y > 0) {
    x = count(y);
  } else {
    x = count(y + 1);
  }
  if (x == 5 && y > 10) report(y);
  return 0;
}
