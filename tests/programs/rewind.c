/* A file is read twice, with positions saved and pushed-back characters. */
#include <labrys.h>
#include <stdio.h>

int main(void) {
  fpos_t start;
  int sum = 0, c, n = 0;
  fgetpos(stdin, &start);
  while ((c = getc(stdin)) != EOF && n++ < 12) sum += c;
  rewind(stdin);
  int first = getc(stdin);
  if (first == EOF) {
    if (sum == 0) labrys_target("empty");
    return 1;
  }
  ungetc(first, stdin);
  c = getc(stdin);
  if (c == first && c == '@') labrys_target("at");
  fsetpos(stdin, &start);
  if (getc(stdin) == first) labrys_target("same");
  if (n == 6 && sum == 300) labrys_target("sum");
  return 0;
}
