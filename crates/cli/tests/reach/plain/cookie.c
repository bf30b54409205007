// inputs: a7
#include <labrys.h>
#include <stdio.h>
#include <sys/types.h>
static int wrote, closed;
static ssize_t w(void* c, const char* b, size_t n) {
  wrote = b[0];
  labrys_target("write");
  return n;
}
static ssize_t r(void* c, char* b, size_t n) {
  b[0] = 'Q';
  labrys_target("fill");
  return 1;
}
static int cl(void* c) {
  closed = 1;
  labrys_target("close");
  return 0;
}
static __attribute__((noinline)) int body(void) {
  cookie_io_functions_t io = {r, w, 0, cl};
  FILE* f = fopencookie(0, "w+", io);
  fputs("z", f);
  fflush(f);
  if (wrote == 'z') labrys_target("wrote");
  FILE* g = fopencookie(0, "r", io);
  if (getc(g) == 'Q') labrys_target("got");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
