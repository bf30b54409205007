// inputs: a7
#include <labrys.h>
#include <fcntl.h>
#include <sys/uio.h>
static int x = 1;
static int y = 1;
static __attribute__((noinline)) int body(void) {
  int fd = open("/proc/self/mem", O_RDWR), v = 4;
  pwrite(fd, &v, 4, (off_t)&x);
  if (x == 4) labrys_target("mem");
  int w = 6;
  struct iovec from = {&w, 4}, to = {&y, 4};
  process_vm_writev(getpid(), &from, 1, &to, 1, 0);
  if (y == 6) labrys_target("vm");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
