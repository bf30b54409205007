// options: -Ofast
// inputs: 00 01 02 03 04 05 06
#include <labrys.h>
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  double y = c*1.0;
  double q = y/10.0;
  double w = y*0.1;
  if (c == 3 && q == w) labrys_target("recip");
  if (c == 3 && q != w) labrys_target("norecip");
  double s = 1e16;
  s = s+y;
  s = s-1e16;
  if (c == 1 && s == 1.0) labrys_target("reass");
  if (c == 1 && s != 1.0) labrys_target("noreass");
  return 0;
}
