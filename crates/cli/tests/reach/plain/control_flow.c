// proved: control
// inputs: a703 a705
#include <labrys.h>
static int never;
typedef int (*binary)(int, int);
static int add(int a, int b) { return a + b; }
static int mul(int a, int b) { return a * b; }
static binary table[2] = {add, mul};
static int one(int a) { return a + 1; }
static int (*returns(int n))(int, int) { return table[n & 1]; }
static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static int even(int n);
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int counted(void) { static int n; return ++n; }
struct big { int v[40]; };
static struct big make(int n) { struct big b = {{0}}; b.v[n] = 7; return b; }
static int take(struct big b, int n) { b.v[0] = 1; return b.v[n]; }
static __attribute__((noinline)) int body(int argc, char **argv) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  if (returns(c)(3, 4) == 12) labrys_target("returned");
  table[0] = (binary)one;
  if (((int (*)(int))table[0])(c) == 4) labrys_target("cast");
  if (ackermann(2, c & 3) == 9) labrys_target("ackermann");
  if (odd(c & 7)) labrys_target("mutual");
  counted();
  if (counted() == 2) labrys_target("static");
  struct big b = make(c & 31);
  if (take(b, 3) == 7 && b.v[0] == 0) labrys_target("by_value");
  int n = 0;
  switch (c & 3) { default: n += 8; case 0: do { n++; case 2: n += 2; } while (n < 6); }
  if (n == 7 || n == 8 || n == 11) labrys_target("duff");
  int i = 0, sum = 0;
  for (;;) { if (++i > c) break; if (i & 1) continue; sum += i; }
  if (sum == 6) labrys_target("loop");
  int x = ({ int t = c; t *= 2; t; });
  if (x == 10) labrys_target("expression");
  if ((c > 2 ?: 0) && _Generic(c, unsigned char: 1, default: 0)) labrys_target("generic");
  int vla[c + 1];
  for (int k = 0; k <= c; k++) vla[k] = k;
  if (sizeof vla == 24 && vla[c] == 5) labrys_target("vla");
  char *st = __builtin_alloca(c + 1);
  st[c] = 6;
  if (st[c] == 6) labrys_target("alloca");
  binary *volatile pf = &table[1];
  *pf = add;
  if (table[1](2, 5) == 7) labrys_target("replaced");
  if (add == table[1] && add != mul) labrys_target("same_function");
  goto *(c == 3 ? &&l1 : &&l2);
l1:
  labrys_target("label");
l2:
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
