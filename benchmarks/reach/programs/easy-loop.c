// A loop that counts down as often as the input says.
#include <labrys.h>

static int count(int i, int limit) {
  int j = 2;
  if (i <= 16) return -1;
  while (j < i) j += 2;
  if (j == i + 1 && j > limit) labrys_target("t1");
  return j;
}

int main(void) {
  int i;
  labrys_symbolic(&i, sizeof i, "i");
  count(i, 60);
  return 0;
}
