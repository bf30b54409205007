// proved: control
// inputs: a741
#include <labrys.h>
#include <stdio.h>
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  char *p = malloc(24);
  char *q = realloc(p, 1000);
  if (p == q) labrys_target("same");
  char *a = malloc(8);
  free(a);
  char *b = malloc(8);
  if (a == b) labrys_target("again");
  char *m = malloc(24);
  m[0] = c;
  char *old = m;
  m = realloc(m, 24 + (c & 64));
  if (m == old && m[0] == 'A') labrys_target("kept");
  char *s = malloc(64);
  s[40] = 9;
  char *t = realloc(s, 41);
  if (t == s && t[40] == 9) labrys_target("shrunk");
  char *z = malloc(0);
  if (z) labrys_target("zero");
  int **cells = malloc(sizeof *cells), x = 1;
  cells[0] = &x;
  cells = realloc(cells, 5000);
  *cells[0] = 5;
  if (x == 5) labrys_target("through");
  if (!malloc(1ul << 62)) labrys_target("null");
  char *big = malloc(1ul << 33);
  if (big) { big[1ul << 32] = 3; if (big[1ul << 32] == 3) labrys_target("big"); }
  if (!calloc(1ul << 33, 1ul << 33)) labrys_target("overflow");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
