// inputs: a7
// each: alone
// a table compares library pointers
#include <labrys.h>
typedef long f(const char *, char **, int);
static int which(f *p) { return p == (f *)strtol ? 1 : p == (f *)strtoll ? 2 : 3; }
static __attribute__((noinline)) int body(int argc, char **argv) {
  f *volatile p = (f *)strtoll;
  if (which(p) == 1) labrys_target("one");
  static f *const tab[] = {(f*)strtoll, (f*)strtoul};
  if (tab[0] == (f *)strtol) labrys_target("two");
  if (tab[1] == (f *)strtoull) labrys_target("three");
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
