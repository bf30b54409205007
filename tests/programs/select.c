/* Conditional values, minimum and maximum, without a jump in sight. */
#include <labrys.h>

int main(void) {
  int a, b, c;
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  labrys_symbolic(&c, sizeof c, "c");
  int least = a < b ? a : b;
  least = least < c ? least : c;
  int most = a > b ? a : b;
  most = most > c ? most : c;
  if (least == 17 && most == 4711) labrys_target("range");
  int clamped = a < -50 ? -50 : a > 50 ? 50 : a;
  if (clamped == 50 && a == 1 << 20) labrys_target("clamped");
  const char *name = b & 1 ? "odd" : "even";
  if (name[0] == 'o' && b > 1000) labrys_target("pointer");
  int distance = a > c ? a - c : c - a;
  if (distance == 12345 && a < c) labrys_target("distance");
  return 0;
}
