// inputs: 00 01
#include <labrys.h>
#include <xmmintrin.h>
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  _mm_setcsr(_mm_getcsr()|0x8040);
  volatile double d = 0x1p-1070;
  double h = d*(c+1)*0.5;
  unsigned long u;
  memcpy(&u, &h, 8);
  if (c == 0 && u == 0) labrys_target("zero");
  return 0;
}
