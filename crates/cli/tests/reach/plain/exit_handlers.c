// inputs: a7
#include <labrys.h>
static int n;
static void a(void) {
  n++;
  if (n == 2) labrys_target("second");
}
static void b(int s, void* p) {
  n++;
  if (s == 9 && *(int*)p == 4) labrys_target("on exit");
  if (n == 1) labrys_target("first");
}
static __attribute__((destructor)) void d(void) {
  if (n == 2) labrys_target("last");
}
static int four = 4;
static __attribute__((noinline)) int body(void) {
  atexit(a);
  on_exit(b, &four);
  exit(9);
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
