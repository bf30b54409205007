// each: alone
// proved: control
// inputs: a7
#include <labrys.h>
#include <stdio.h>
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  int x = 1, *p = &x, *q = 0, y = 2, *r = &y, *s = 0;
  int ends[2];
  pipe(ends);
  write(ends[1], &p, sizeof p);
  read(ends[0], &q, sizeof q);
  *q = 5;
  if (x == 5) labrys_target("pipe");
  FILE *f = tmpfile();
  fwrite(&r, sizeof r, 1, f);
  rewind(f);
  fread(&s, sizeof s, 1, f);
  *s = 6;
  if (y == 6) labrys_target("file");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
