#include <labrys.h>
static __attribute__((noinline, nonnull)) int f(int*p) {
  if (!p) labrys_target("null");
  return 0;
}
static __attribute__((noinline, returns_nonnull)) int*g(int c) {
  static int z;
  return c?&z:0;
}
static __attribute__((noinline)) int h(int *p) {
  int x = 0;
  memcpy(p, &x, 0);
  if (!p) labrys_target("null2");
  return 0;
}
static __attribute__((noinline)) int aligned(long p) {
  int *q = __builtin_assume_aligned((void*)p, 16);
  if ((long)q&15) labrys_target("unal");
  return 0;
}
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  f(c?(int*)&c:0);
  if (!g(c)) labrys_target("null3");
  h(0);
  aligned(3);
  return 0;
}
