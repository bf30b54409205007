// proved: control
// inputs: a7
#include <labrys.h>
#include <stdio.h>
#include <sys/mman.h>
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  int fd = memfd_create("m", 0);
  ftruncate(fd, 8192);
  char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  p[4096] = 'a';
  int zero = p[0] == 0;
  pwrite(fd, "xyz", 3, 0);
  if (zero && p[0] == 'x') labrys_target("seen");
  pwrite(fd, "q", 1, 4096);
  if (p[4096] == 'a') labrys_target("own");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
