#include <labrys.h>
#include <stdio.h>
#include <stdarg.h>
static int rd(const char*s, const char*f, ...) {
  va_list a;
  va_start(a, f);
  int r = vsscanf(s, f, a);
  va_end(a);
  return r;
}
int main(void) {
  int x = 1, y = 2;
  static int z = 3;
  rd("7 8", "%d %d", &x, &y);
  rd("9", "%d", &z);
  if (x == 7) labrys_target("x");
  if (y == 8) labrys_target("y");
  if (z == 9) labrys_target("z");
  return 0;
}
