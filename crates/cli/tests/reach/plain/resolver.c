#include <labrys.h>
static int g;
static int one(int x) {
  labrys_target("one");
  return x+1;
}
static int two(int x) {
  labrys_target("two");
  return x+2;
}
static int (*resolve(void))(int) {
  return one;
}
int f(int) __attribute__((ifunc("resolve")));
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  if (f(c) == 1) labrys_target("res");
  return 0;
}
