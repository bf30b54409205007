// proved: control
// inputs: a7
// options: -fcommon
#include <labrys.h>
static int never;
int real = 1;
extern int other __attribute__((alias("real")));
extern int absent __attribute__((weak));
extern int missing(void) __attribute__((weak));
__attribute__((weak)) int soft = 3;
int common;
int labeled __asm__("strange$name") = 4;
extern int again __asm__("strange$name");
static int target_of(int n) { return n + 1; }
static int (*resolve(void))(int) { return target_of; }
__attribute__((section("mine"))) int placed = 5;
static int hidden __attribute__((used)) = 6;
static int weak_use(void) { return &absent ? absent : 8; }
static __attribute__((noinline)) int body(int argc, char **argv) {
  other = 9;
  if (real == 9) labrys_target("alias");
  if (!missing) labrys_target("missing");
  if (weak_use() == 8) labrys_target("absent");
  int *volatile p = &labeled;
  *p = 12;
  if (again == 12) labrys_target("label");
  common = 3;
  if (common == 3) labrys_target("common");
  soft++;
  if (soft == 4) labrys_target("weak");
  placed = 1;
  if (placed == 1) labrys_target("section");
  if (resolve()(3) == 4) labrys_target("resolved");
  if (never) labrys_target("control");
  return hidden == 7;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
