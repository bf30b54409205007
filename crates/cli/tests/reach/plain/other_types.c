#include <labrys.h>
struct S {
  int x, y;
};
static void a(struct S s) {
  if (s.y == 5) labrys_target("a");
}
static void b(long x) {
  if (x == 5) labrys_target("b");
}
static double d(double x) {
  labrys_target("d");
  return x;
}
static void v(int n, ...) {
  labrys_target("v");
}
static void e(char*p) {
  labrys_target("e");
}
static void f(unsigned long p) {
  labrys_target("f");
}
static long h(int p) {
  labrys_target("h");
  return 0;
}
static void h2(int p) {
}
typedef void(*fp)(long);
static fp t[] = {(fp)a, b, (fp)d, (fp)v, (fp)e, (fp)f, (fp)h};
int main(void) {
  for (int i = 0;i<7;i++) t[i](5);
  typedef void (*g)(int);
  volatile g x = h2;
  volatile g y = (g)h;
  y(1);
  x(1);
  return 0;
}
