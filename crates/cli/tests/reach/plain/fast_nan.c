// options: -ffast-math
// inputs: 00000000 01000000 0000807f 0000c07f 00000080
#include <labrys.h>
int main(void) {
  float x;
  labrys_symbolic(&x, 4, "x");
  if (x != x) labrys_target("nan");
  volatile float d = 0x1p-140f;
  float e = d*1.0f;
  volatile float z = d*0.5f;
  if (z == 0) labrys_target("flushed");
  if (x*0.0f == 0 && x>1e38f*2.0f) labrys_target("inf0");
  float t = x+1e8f;
  float u = t-1e8f;
  if (u == x && x>0.25f && x<0.26f) labrys_target("assoc");
  return 0;
}
