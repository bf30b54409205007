// inputs: a7 a8
#include <labrys.h>
/* What two variables hold before they are written is not the same. */
static __attribute__((noinline)) void fill(void) {
  volatile int a[64];
  for (int i = 0; i < 64; i++) a[i] = i * 3;
}
static __attribute__((noinline)) int differ(int c) {
  int x, y;
  if (c == 0xa8) x = y = 3;
  return x != y;
}
static __attribute__((noinline)) int never_written(void) {
  int x, y;
  return x != y;
}
static __attribute__((noinline)) int less(int c) {
  unsigned x;
  unsigned y;
  if (c == 0xa8) y = x = 3;
  return x < y || y < x;
}
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  fill();
  if (differ(c)) labrys_target("differ");
  fill();
  if (never_written()) labrys_target("never_written");
  fill();
  if (less(c)) labrys_target("less");
  return 0;
}
