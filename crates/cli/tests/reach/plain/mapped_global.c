// each: alone
// inputs: a7
#include <labrys.h>
#include <sys/mman.h>
static int never;
static _Alignas(4096) char page[4096];
static __attribute__((noinline)) int body(int argc, char **argv) {
  int fd = memfd_create("m", 0);
  ftruncate(fd, 4096);
  page[0] = 'a';
  mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
  if (page[0] == 0) labrys_target("zeroed");
  page[0] = 'a';
  pwrite(fd, "x", 1, 0);
  if (page[0] == 'x') labrys_target("written");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
