#include <labrys.h>
#include <stdio.h>
#include <stdarg.h>
static void w(const char*f, ...) {
  va_list a;
  va_start(a, f);
  char b[20];
  vsnprintf(b, 20, f, a);
  va_end(a);
}
static char pct = '%';
int main(int argc, char**argv) {
  int n = 5;
  char fm[10] = {pct, 'h', 'n', 0};
  w(fm, &n);
  if (n == 0) labrys_target("n0");
  static int s = 4;
  char fm2[10] = {pct, 'n', 0};
  printf(fm2, &s);
  if (s == 0) labrys_target("s0");
  return 0;
}
