// inputs: 00000000000000 0000c07f0000f87f 0000805f 00000060 000080ff 0000004f 000080bf 00000080
#include <labrys.h>
static __attribute__((noinline)) int cv(float x) {
  return (int)x;
}
static __attribute__((noinline)) unsigned cu(float x) {
  return (unsigned)x;
}
static __attribute__((noinline)) unsigned char cb(float x) {
  return (unsigned char)x;
}
static __attribute__((noinline)) unsigned long cl(float x) {
  return (unsigned long)x;
}
static __attribute__((noinline)) short cs(float x) {
  return (short)x;
}
int main(void) {
  float x;
  labrys_symbolic(&x, 4, "x");
  int i = cv(x);
  unsigned u = cu(x);
  unsigned char b = cb(x);
  unsigned long l = cl(x);
  short s = cs(x);
  if (x != x && i == (-2147483647-1)) labrys_target("nanmin");
  if (x != x && i == 0) labrys_target("nan0");
  if (x>1e10f && i<0) labrys_target("bigneg");
  if (x>1e10f && i>0) labrys_target("bigpos");
  if (x>5e9f && u != 0) labrys_target("ubig");
  if (x<0 && x>-2 && u>5) labrys_target("uneg");
  if (x<0 && b != 0) labrys_target("bneg");
  if (x>1e18f*20 && l != 0) labrys_target("lbig");
  if (x>1e18f*20 && l == 0) labrys_target("lbig0");
  if (x<-0.5f && l>5) labrys_target("lneg");
  if (x>1e6f && s != 0) labrys_target("sbig");
  if (x<-1e30f && i>0) labrys_target("negpos");
  return 0;
}
