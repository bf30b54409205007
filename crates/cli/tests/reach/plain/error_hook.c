#include <labrys.h>
#include <error.h>
#include <stdio.h>
static int g;
static void hook(void) {
  g = 7;
  labrys_target("hook");
}
int main(void) {
  error_print_progname = hook;
  error(0, 0, "x");
  if (g == 7) labrys_target("g");
  return 0;
}
