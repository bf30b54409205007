// inputs: a7
#include <labrys.h>
static __attribute__((noinline)) void fill(void) {
  volatile int a[64];
  for (int i = 0; i < 64; i++) a[i] = 77;
}
static __attribute__((noinline)) int look(void) {
  volatile int a[64];
  int n = 0;
  for (int i = 0; i < 64; i++) n += a[i] == 77;
  return n;
}
static __attribute__((noinline)) int body(void) {
  fill();
  if (look() > 30) labrys_target("stack");
  long* volatile p = malloc(400);
  p[20] = 123;
  free(p);
  long* volatile q = malloc(400);
  if (q[20] == 123) labrys_target("heap");
  if (q[30] == 0) labrys_target("fresh");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
