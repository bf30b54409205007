// assumes: no check of undefined behaviour
#include <labrys.h>
static __attribute__((noinline)) int cl(unsigned long x) {
  return __builtin_clzl(x);
}
static __attribute__((noinline)) int ct(unsigned long x) {
  return __builtin_ctzl(x);
}
int main(void) {
  unsigned long c = 0;
  labrys_symbolic(&c, 8, "c");
  int n = cl(c), m = ct(c);
  if (c == 0 && n != 64) labrys_target("clz");
  if (c == 0 && m != 64) labrys_target("ctz");
  if (n>63) labrys_target("n64");
  return 0;
}
