#include <labrys.h>
static void *buf[5];
static int g;
static __attribute__((noinline)) void j(void) {
  __builtin_longjmp(buf, 1);
}
int main(void) {
  if (__builtin_setjmp(buf) == 0) {
    g = 1;
    j();
  } else {
    if (g == 1) labrys_target("back");
  }
  return 0;
}
