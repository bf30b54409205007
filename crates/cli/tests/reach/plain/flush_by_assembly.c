// inputs: 00 01
#include <labrys.h>
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  unsigned m = 0x9fc0;
  __asm__ volatile("ldmxcsr %0"::"m"(m));
  volatile double d = 0x1p-1070;
  double h = d*(c+1)*0.5;
  unsigned long u;
  memcpy(&u, &h, 8);
  if (c == 0 && u == 0) labrys_target("zero");
  return 0;
}
