// each: alone
// inputs: a7
#include <labrys.h>
#include <sys/mman.h>
#include <stdio.h>
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  int fd = memfd_create("m", 0);
  ftruncate(fd, 4096);
  char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  p[0] = 'a';
  pwrite(fd, "xyz", 3, 0);
  if (p[0] == 'x') labrys_target("pwrite");
  p[1] = 'b';
  lseek(fd, 1, SEEK_SET);
  write(fd, "q", 1);
  if (p[1] == 'q') labrys_target("write");
  FILE *f = fdopen(dup(fd), "r+");
  p[2] = 'c';
  fseek(f, 2, SEEK_SET);
  fputc('w', f);
  fflush(f);
  if (p[2] == 'w') labrys_target("stream");
  p[3] = 'd';
  fseek(f, 3, SEEK_SET);
  fprintf(f, "v");
  fclose(f);
  if (p[3] == 'v') labrys_target("closed");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
