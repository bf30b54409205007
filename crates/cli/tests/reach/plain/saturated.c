// inputs: a7 a700 a701 a77f a780 a7ff
#include <labrys.h>
static __attribute__((noinline)) int body(void) {
  signed char c;
  labrys_symbolic(&c, 1, "c");
  signed char s = __builtin_elementwise_add_sat(c, (signed char)100);
  if (s == 127 && c == 127) labrys_target("top");
  signed char d = __builtin_elementwise_sub_sat(c, (signed char)100);
  if (d == -128 && c == -128) labrys_target("bottom");
  unsigned char r = __builtin_rotateleft8((unsigned char)c, 3);
  if (r == 0xfb && c == 0x7f) labrys_target("rotated");
  if (__builtin_bitreverse8(c) == 1 && c == -128) labrys_target("reversed");
  if (__builtin_abs((int)c) == 128) labrys_target("abs");
  int o;
  if (__builtin_mul_overflow((long)c << 40, 4000L, &o))
    labrys_target("over");
  else
    labrys_target("fits");
  unsigned char n;
  if (__builtin_add_overflow((int)c, -1, &n) && n == 255) labrys_target("narrow");
  signed char k;
  if (__builtin_sub_overflow((unsigned)0, (unsigned char)c, &k) && c == -1) labrys_target("mixed");
  if (__builtin_parity((unsigned char)c) && c == 127) labrys_target("parity");
  if (__builtin_ffs(c) == 8) labrys_target("ffs");
  if (__builtin_clrsb(c) == 31 - 7) labrys_target("clrsb");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
