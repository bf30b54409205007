// inputs: a7
// each: alone
// options: -fuse-ld=lld -ffunction-sections -Wl,--icf=all
#include <labrys.h>
static __attribute__((noinline)) int one(int n) { return n * 3 + 1; }
static __attribute__((noinline)) int two(int n) { return n * 3 + 1; }
typedef int f(int);
static f *tab[2] = {one, two};
static __attribute__((noinline)) int body(int argc, char **argv) {
  if (tab[0] == tab[1]) labrys_target("same");
  f *volatile p = one; f *volatile q = two;
  if (p == q) labrys_target("eq");
  f *r = argc > 100 ? 0 : one;
  if (r == two) labrys_target("which");
  return p(argc) == 3;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
