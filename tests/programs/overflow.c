/* Arithmetic that reports overflow, and saturation. */
#include <labrys.h>
#include <stddef.h>

int main(void) {
  int a, b;
  unsigned u;
  long l;
  unsigned char c;
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  labrys_symbolic(&u, sizeof u, "u");
  labrys_symbolic(&l, sizeof l, "l");
  labrys_symbolic(&c, sizeof c, "c");
  int r;
  unsigned ur;
  long lr;
  unsigned char cr;
  if (__builtin_add_overflow(a, b, &r) && r == 5) labrys_target("add");
  if (__builtin_sub_overflow(a, b, &r) && a == -10) labrys_target("sub");
  if (__builtin_mul_overflow(a, b, &r) && r == 0) labrys_target("mul");
  if (!__builtin_mul_overflow(a, 1000, &r) && r == 123000) labrys_target("no-mul");
  if (__builtin_add_overflow(u, 100u, &ur) && ur == 55) labrys_target("unsigned-add");
  if (__builtin_sub_overflow(u, 1000u, &ur) && u == 999) labrys_target("unsigned-sub");
  if (__builtin_mul_overflow(l, 3L, &lr) && l > 0 && (l & 15) == 9) labrys_target("long-mul");
  if (__builtin_add_overflow(c, 100, &cr) && cr == 1) labrys_target("byte-add");
  if (__builtin_add_overflow(a, l, &cr) && a == -1) labrys_target("mixed");
  return 0;
}
