// inputs: 00
#include <labrys.h>
static int g;
static void hook(int argc, char**argv, char**env) {
  g = argc;
  if (argc == 1) labrys_target("hook");
}
__attribute__((section(".init_array.500"), used)) static void (*h)(int, char**, char**) = hook;
int main(void) {
  if (g == 1) labrys_target("g");
  return 0;
}
