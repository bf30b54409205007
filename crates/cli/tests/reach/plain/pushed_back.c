// proved: control
// inputs: a7
#include <labrys.h>
#include <stdio.h>
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  FILE *f = tmpfile();
  fputs("abcdef", f);
  rewind(f);
  int c = fgetc(f);
  if (ungetc('Q', f) == 'Q' && fgetc(f) == 'Q' && c == 'a') labrys_target("other");
  while (fgetc(f) != EOF) {}
  if (feof(f)) labrys_target("end");
  ungetc('R', f);
  if (!feof(f) && getc(f) == 'R') labrys_target("behind_end");
  fseek(f, -2, SEEK_END);
  if (fgetc(f) == 'e') labrys_target("from_end");
  if (ftell(f) == 5) labrys_target("tell");
  fpos_t place;
  rewind(f);
  fgetpos(f, &place);
  fgetc(f);
  fsetpos(f, &place);
  if (fgetc(f) == 'a') labrys_target("place");
  fseek(f, 1, SEEK_SET);
  fputc('X', f);
  fseek(f, 1, SEEK_SET);
  if (fgetc(f) == 'X') labrys_target("written");
  fseek(f, 100, SEEK_SET);
  fputc('Y', f);
  fseek(f, 50, SEEK_SET);
  if (fgetc(f) == 0) labrys_target("hole");
  ftruncate(fileno(f), 3);
  fseek(f, 3, SEEK_SET);
  if (fgetc(f) == EOF && feof(f)) labrys_target("cut");
  clearerr(f);
  if (!feof(f)) labrys_target("cleared");
  fclose(stdin);
  if (getchar() == EOF) labrys_target("closed");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
