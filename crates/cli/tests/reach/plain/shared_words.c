// proved: control
// inputs: a7
#include <labrys.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <immintrin.h>
static int never;
static _Atomic int word = 1;
struct two { int a, b; };
static _Atomic struct two pair;
static _Thread_local int own = 4;
static int sum(int n, ...) {
  va_list a, b;
  va_start(a, n);
  va_copy(b, a);
  int total = va_arg(a, int);
  double d = va_arg(a, double);
  long double l = va_arg(a, long double);
  int *p = va_arg(a, int *);
  *p = total + (int)d + (int)l;
  total += va_arg(b, int);
  va_end(a);
  va_end(b);
  return total;
}
static int many(int n, ...) { va_list a; va_start(a, n); int last = 0; while (n--) last = va_arg(a, int); va_end(a); return last; }
static __attribute__((noinline)) int body(int argc, char **argv) {
  int expected = 1, out = 0;
  if (atomic_compare_exchange_weak(&word, &expected, 5) && word == 5) labrys_target("exchange");
  expected = 9;
  if (!atomic_compare_exchange_strong(&word, &expected, 7) && expected == 5) labrys_target("failed");
  if (__atomic_fetch_nand((int *)&word, 4, 5) == 5 && word == ~4) labrys_target("nand");
  pair = (struct two){3, 4};
  struct two got = pair;
  if (((int *)&got)[1] == 4) labrys_target("pair");
  int *volatile p = &own;
  *p = 6;
  if (own == 6) labrys_target("own");
  if (sum(1, 2, 3.5, 4.5L, &out) == 4 && out == 9) labrys_target("list");
  if (many(9, 1, 2, 3, 4, 5, 6, 7, 8, 9) == 9) labrys_target("many");
  __m128i v = _mm_set_epi8(-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1);
  if (_mm_movemask_epi8(v) == 0x8001) labrys_target("mask");
  if (__builtin_return_address(0)) labrys_target("return");
  unsigned long a = __builtin_readcyclecounter(), b = __builtin_readcyclecounter();
  if (a != b) labrys_target("cycles");
  static const void *const steps[] = {&&one - 0, &&two};
  volatile int which = 1;
  goto *steps[which];
one:
  return 9;
two:;
  static const int offsets[] = {0, (int)(0)};
  volatile int vi = 0;
  vi = vi + 1;
  if (vi == 1) labrys_target("volatile");
  if (never) labrys_target("control");
  return offsets[0];
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
