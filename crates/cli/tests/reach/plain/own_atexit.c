#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
static int g;
void exit_hook(void) {
}
void _exit(int x);
int __cxa_atexit(void (*f)(void*), void*a, void*d) {
  g = 7;
  labrys_target("cxa");
  return 0;
}
static void at(void) {
}
int main(void) {
  atexit(at);
  if (g == 7) labrys_target("g");
  return 0;
}
