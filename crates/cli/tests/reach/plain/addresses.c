// each: alone
// proved: control
// inputs: a7
#include <labrys.h>
static int never, g;
struct empty {};
static struct empty e1, e2;
static int pair[2], other;
static __attribute__((noinline)) size_t place(void) { volatile int x = 1; return (size_t)&x; }
static __attribute__((noinline)) size_t place2(int n) { volatile int x = n; return (size_t)&x; }
extern int g2 __attribute__((alias("g")));
static __attribute__((noinline)) int body(int argc, char **argv) {
  int l;
  char *volatile a = (char *)&e1, *volatile b = (char *)&e2;
  if (a == b || a + 1 == b || b + 1 == a) labrys_target("empty_close");
  if (place() == place()) labrys_target("same_place");
  if (place() == place2(3)) labrys_target("same_frame");
  size_t p = 0, q = 0;
  { int x; int *volatile w = &x; p = (size_t)w; }
  { int y; int *volatile w = &y; q = (size_t)w; }
  if (p == q) labrys_target("scopes");
  size_t before = 0, same = 0;
  for (int i = 0; i < 3; i++) {
    int v[i + 4];
    int *volatile w = v;
    if (before == (size_t)w) same++;
    before = (size_t)w;
  }
  if (same) labrys_target("vla");
  if ((size_t)&l > (size_t)&g) labrys_target("stack_above");
  if ((size_t)&l >> 40 == 0x7f) labrys_target("high");
  char *h = malloc(1);
  if ((size_t)h < (size_t)&l) labrys_target("heap_below");
  if (((size_t)h & 15) == 0) labrys_target("aligned");
  if (((size_t)h & 16) == 16 || ((size_t)malloc(1) & 16) == 16 || ((size_t)malloc(1) & 16) == 16) labrys_target("bit");
  int *volatile end = pair + 2, *volatile start = &other, *volatile third = &never, *volatile fourth = &g;
  if (end == start || end == third || end == fourth || start + 1 == third || start + 1 == fourth || third + 1 == start || third + 1 == fourth || fourth + 1 == start || fourth + 1 == third || start + 1 == pair || third + 1 == pair || fourth + 1 == pair) labrys_target("one_past");
  int *volatile al = &g2;
  if (al == &g) labrys_target("alias");
  if ((long)&l > 0) labrys_target("positive");
  if ((size_t)body < (size_t)&g) labrys_target("code_below");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
