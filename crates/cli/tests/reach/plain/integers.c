// proved: control
// inputs: a707 a7ff a780
#include <labrys.h>
#include <limits.h>
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  signed char c;
  labrys_symbolic(&c, 1, "c");
  volatile int least = INT_MIN;
  volatile long least_long = LONG_MIN;
  int (*volatile f)(int) = abs;
  long (*volatile g)(long) = labs;
  if (f(least) == INT_MIN) labrys_target("abs");
  if (g(least_long) == LONG_MIN) labrys_target("labs");
  if (abs(c) == 128) labrys_target("abs_char");
  if (c >> 7 == -1) labrys_target("arithmetic");
  if ((unsigned char)c >> 7 == 1) labrys_target("logical");
  if (c % 4 == -1) labrys_target("remainder");
  if (-7 / (c == 7 ? 2 : 1) == -3) labrys_target("toward_zero");
  unsigned char u = c;
  u += 1;
  if (u == 0) labrys_target("wrapped");
  short s = c * 300;
  if (s == (short)38400 - 0 || s < 0) labrys_target("short");
  if ((unsigned)c > 200) labrys_target("extended");
  if (c == (char)0x80 && -c == 128) labrys_target("promoted");
  int table[256], *middle = table + 128;
  memset(table, 0, sizeof table);
  middle[c] = 5;
  if (table[127] == 5) labrys_target("negative_index");
  unsigned __int128 w = (unsigned char)c;
  w = w << 120 | 7;
  if ((w / 3) >> 100 != 0) labrys_target("wide_division");
  if ((__int128)w < 0) labrys_target("wide_sign");
  unsigned _BitInt(77) b = (unsigned char)c;
  b = b << 70;
  if (b >> 70 == 127) labrys_target("odd_width");
  signed _BitInt(3) t = c;
  if (t == -1) labrys_target("three_bits");
  if (__builtin_clz(1) == 31 && __builtin_ffs(c) == 8) labrys_target("ffs");
  if (__builtin_parity((unsigned char)c) && c == 7) labrys_target("parity");
  int r;
  if (__builtin_add_overflow(c, INT_MAX, &r) && r < 0) labrys_target("overflow");
  unsigned short us;
  if (__builtin_mul_overflow(c, 1000, &us) && us != 0) labrys_target("mixed");
  if (c == -1 && (c ^ 0x80) == -129 + 0) labrys_target("xor");
  switch (c) { case -128: labrys_target("least"); break; case 7 ... 9: labrys_target("range"); }
  div_t d = div(-7, 2);
  if (d.quot == -3 && d.rem == -1) labrys_target("div");
  if ((c & -c) == 1 && c != 1) labrys_target("lowest");
  if (sizeof(c + 1) == 4 && (c, 5) == 5) labrys_target("comma");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
