// each: alone
// proved: control
// inputs: a7
#include <labrys.h>
static int never, g;
static int cell[2];
__attribute__((noinline, pure)) static int lying_pure(int n) { g = n; return n; }
__attribute__((noinline, const)) static int lying_const(int *p) { return *p; }
__attribute__((noinline, malloc)) static int *lying_malloc(void) { return cell; }
__attribute__((noinline, returns_nonnull)) static int *lying_nonnull(int n) { return n ? cell : 0; }
__attribute__((noinline, nonnull)) static int lying_arg(int *p) { return p == 0; }
__attribute__((noinline, assume_aligned(64))) static char *lying_aligned(void) { return (char *)cell + 1; }
__attribute__((noinline, cold, leaf, nothrow)) static int cold(int n) { return n * 3; }
static __attribute__((noinline)) int noescape(__attribute__((noescape)) int *p, int **q) { *q = p; return 1; }
static void cleaned(int *p) { g += *p; }
static __attribute__((noinline)) int body(int argc, char **argv) {
  volatile int zero = 0;
  g = 1;
  int unused = lying_pure(5);
  if (g == 5) labrys_target("pure");
  int x = 1, r = lying_const(&x);
  x = 2;
  int s = lying_const(&x);
  if (r == 1 && s == 2) labrys_target("const");
  int *p = lying_malloc(), *q = lying_malloc();
  *p = 1;
  *q = 2;
  if (*p == 2) labrys_target("malloc");
  if (p == q) labrys_target("malloc_same");
  if (lying_nonnull(zero) == 0) labrys_target("nonnull");
  if (lying_arg((int *)(size_t)zero)) labrys_target("argument");
  if ((size_t)lying_aligned() & 63) labrys_target("aligned");
  if (cold(2) == 6) labrys_target("cold");
  int *held;
  noescape(&x, &held);
  *held = 8;
  if (x == 8) labrys_target("noescape");
  g = 0;
  { __attribute__((cleanup(cleaned))) int k = 4; }
  if (g == 4) labrys_target("cleanup");
  int n = 1;
  size_t size = sizeof(int[n++ + 1]);
  if (n == 2 && size == 8) labrys_target("vla_size");
  if (never) labrys_target("control");
  return unused;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
