/* Variable arguments: integers, wide ones, doubles, pointers, many of them, passed on. */
#include <labrys.h>
#include <stdarg.h>

static long sum(int n, ...) {
  va_list ap;
  va_start(ap, n);
  long s = 0;
  while (n--) s += va_arg(ap, int);
  va_end(ap);
  return s;
}
static double mixed(const char *kinds, ...) {
  va_list ap, again;
  va_start(ap, kinds);
  va_copy(again, ap);
  double s = 0;
  for (; *kinds; kinds++) {
    if (*kinds == 'i') s += va_arg(again, int);
    if (*kinds == 'd') s += va_arg(again, double);
    if (*kinds == 'l') s += va_arg(again, long);
    if (*kinds == 'p') s += *va_arg(again, int *);
  }
  va_end(again);
  va_end(ap);
  return s;
}
static long forward(int n, va_list ap) {
  long last = 0;
  while (n--) last = va_arg(ap, long);
  return last;
}
static long last(int n, ...) {
  va_list ap;
  va_start(ap, n);
  long r = forward(n, ap);
  va_end(ap);
  return r;
}

int main(void) {
  int a, b;
  long l;
  double d;
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  labrys_symbolic(&l, sizeof l, "l");
  labrys_symbolic(&d, sizeof d, "d");
  if (sum(3, a, b, 100) == 1234567) labrys_target("sum");
  if (sum(9, 1, 2, 3, 4, 5, 6, a, 8, b) == 4321) labrys_target("on-the-stack");
  if (d > 0 && d < 10 && mixed("idp", 2, d, &a) == 9.5 && a == 3) labrys_target("doubles");
  if (last(8, 1L, 2L, 3L, 4L, 5L, 6L, 7L, l) == 0x1234567890L) labrys_target("passed-on");
  return 0;
}
