#include <labrys.h>
#include <printf.h>
#include <stdio.h>
static int g;
static int ar(const struct printf_info*i, size_t n, int*a, int*s) {
  if (n>0) {
    a[0] = PA_INT;
    s[0] = 4;
  }
  return 1;
}
static int pr(FILE*f, const struct printf_info*i, const void*const*a) {
  g = 7;
  labrys_target("handler");
  return 0;
}
int main(void) {
  register_printf_specifier('Q', pr, ar);
  printf("%Q\n", 3);
  if (g == 7) labrys_target("g");
  return 0;
}
