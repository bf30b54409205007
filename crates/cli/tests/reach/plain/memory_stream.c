// proved: control
// inputs: a7
#include <labrys.h>
#include <stdio.h>
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  char *p = 0, fixed[16] = "abcdefgh", own[64] = "";
  size_t n = 0;
  FILE *f = open_memstream(&p, &n);
  fputs("hello", f);
  fflush(f);
  if (n == 5 && p[0] == 'h') labrys_target("flushed");
  char *old = p;
  for (int i = 0; i < 9000; i++) fputc('x', f);
  fclose(f);
  if (n == 9005) labrys_target("closed");
  if (p != old) labrys_target("moved");
  FILE *g = fmemopen(fixed, sizeof fixed, "r+");
  fputc('Z', g);
  fclose(g);
  if (fixed[0] == 'Z') labrys_target("fixed");
  setvbuf(stdout, own, _IOFBF, sizeof own);
  putchar('q');
  if (own[0] == 'q') labrys_target("buffer");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
