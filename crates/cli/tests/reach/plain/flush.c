// options: -ffast-math
// inputs: 00 01 02 03
#include <labrys.h>
#include <math.h>
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  volatile double d = 0x1p-1070;
  double h = d*(c+1)*0.25;
  unsigned long u;
  memcpy(&u, &h, 8);
  if (c == 0 && u == 0) labrys_target("zero");
  if (c == 0 && u != 0) labrys_target("nonzero");
  return 0;
}
