// inputs: 00
#include <labrys.h>
static int g;
static void hook(void) {
  g = 7;
  labrys_target("hook");
}
__attribute__((section(".fini_array"), used)) static void (*const h)(void) = hook;
int main(void) {
  if (g == 7) labrys_target("g");
  return 0;
}
