// proved: never table overflow checked
// inputs: 00 05 ff
// Proofs that stand: what is left open above must not leave these open.
#include <labrys.h>
#include <stdio.h>
static int state;
static int plain(long x) {
  if (x == 9) labrys_target("table");
  return (int)x;
}
static int other(int x) {
  state = x > 3 ? 2 : 1;
  return x;
}
static int (*const functions[2])(long) = {plain, plain};
static void say(const char *format, int number) {
  printf(format, number);
}
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  int (*volatile another)(int) = other;
  say("%d\n", c);
  if (c > 7 && c < 5) labrys_target("never");
  functions[c & 1](c & 7);
  another(c);
  if (state == 3) labrys_target("overflow");
  int values[4] = {1, 2, 3, 4};
  double half = c / 2.0;
  if (values[c & 3] > 4) labrys_target("checked");
  return (int)half;
}
