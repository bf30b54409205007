#include <labrys.h>
static int a(long x) {
  if (x == 5) labrys_target("a");
  return 1;
}
static int b(int x) {
  if (x == 5) labrys_target("b");
  return 2;
}
static int c(void) {
  labrys_target("c");
  return 0;
}
int (*volatile sink)(int) = b;
int main(void) {
  unsigned char k;
  labrys_symbolic(&k, 1, "k");
  int (*p)(int) = (int(*)(int))a;
  volatile int (*q)(int);
  int (*volatile r)(int) = p;
  if (k == 0) r(5);
  else sink(4);
  int (*volatile s)(int) = (int(*)(int))c;
  s(1);
  return 0;
}
