// inputs: a7
// each: alone
#include <labrys.h>
extern int other;
int real = 1;
int later = 4;
extern int second[];
static __attribute__((noinline)) int body(int argc, char **argv) {
  other = 3;
  if (real == 3) labrys_target("real3");
  real = 8;
  if (other == 8) labrys_target("other8");
  second[0] = 5;
  if (later == 5) labrys_target("later5");
  if (&other == &real) labrys_target("addr");
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
//// script extra.ld
other = real; second = later;
