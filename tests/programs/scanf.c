/* scanf on standard input. */
#include <labrys.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  int a;
  unsigned x;
  char word[8], kind;
  if (scanf("%d", &a) != 1) {
    labrys_target("no-number");
    return 1;
  }
  if (a == -1234) labrys_target("number");
  int n = scanf(" , %7s %c", word, &kind);
  if (n == 2 && !strcmp(word, "ariadne") && kind == '!') labrys_target("word");
  if (n == EOF) labrys_target("end");
  if (scanf("%x", &x) == 1 && x == 0xbeef) labrys_target("hex");
  return 0;
}
