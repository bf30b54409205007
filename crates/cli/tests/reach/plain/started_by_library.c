// inputs: a7
// each: alone
#include <labrys.h>
int counter = 1;
void by_lib(void) { labrys_target("by_lib"); counter = 4; }
void at_end(int n) { labrys_target("at_end"); if (n == 3) labrys_target("arg"); }
static __attribute__((noinline)) int body(int argc, char **argv) {
  if (counter == 4) labrys_target("counter");
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
//// shared n.c
extern void by_lib(void); extern void at_end(int);
__attribute__((constructor)) static void c(void) { by_lib(); }
__attribute__((destructor)) static void d(void) { at_end(3); }
