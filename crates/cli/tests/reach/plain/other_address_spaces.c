// inputs: a7
// each: alone
#include <labrys.h>
static __attribute__((noinline)) int body(int argc, char **argv) {
  int __seg_fs *p = (int __seg_fs *)0x28;
  long __seg_fs *q = (long __seg_fs *)0;
  volatile int sink = *p;
  labrys_target("after");
  if (*q != 0) labrys_target("self");
  long __seg_fs *r = (long __seg_fs *)16;
  if (*r == *q) labrys_target("self2");
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
