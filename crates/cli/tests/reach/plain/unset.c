#include <labrys.h>
static __attribute__((noinline)) int f(int c) {
  int x;
  if (c>5) x = 3;
  if (x == 4) labrys_target("x4");
  return x;
}
static __attribute__((noinline)) void fill(void) {
  volatile int a[64];
  for (int i = 0;i<64;i++) a[i] = 4;
}
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  fill();
  f(c);
  return 0;
}
