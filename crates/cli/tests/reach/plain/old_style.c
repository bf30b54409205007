// options: -std=gnu89
#include <labrys.h>
static int k(a, b) int a;
char b;
{
  if (b == 3) labrys_target("k");
  return 0;
}
static int k2(f) float f;
{
  if (f == 3) labrys_target("k2");
  return 0;
}
static int o(void) {
  return 1;
}
int (*volatile p)() = k;
int (*volatile p2)() = k2;
int (*volatile p3)() = o;
int main() {
  p(1, 3);
  p2(3.0f);
  p3();
  return 0;
}
