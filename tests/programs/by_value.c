/* Structures by value as parameters and results: in registers, in memory, mixed. */
#include <labrys.h>

struct small { int a; short b; };
struct mixed { double d; long n; };
struct large { long v[6]; char c; };

static struct small make(int x) { return (struct small){x * 2, (short)(x + 1)}; }
static struct mixed mix(double d, long n) { return (struct mixed){d / 2, n ^ 255}; }
static struct large spread(long x) {
  struct large r = {{x, x + 1, x + 2, x + 3, x + 4, x + 5}, (char)x};
  return r;
}
static long total(struct large l, struct small s, struct mixed m) {
  return l.v[2] + l.c + s.a + s.b + m.n;
}
static struct large (*volatile pointer)(long) = spread;

int main(void) {
  int x;
  double d;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&d, sizeof d, "d");
  struct small s = make(x);
  if (s.a == 246 && s.b == 124) labrys_target("registers");
  struct mixed m = mix(d, x);
  if (m.d == 1.25 && m.n == 4) labrys_target("mixed");
  struct large l = pointer(x);
  if (l.v[5] == 1005) labrys_target("memory");
  if (total(l, s, m) == 50242 && x == 10000) labrys_target("passed");
  return 0;
}
