/* getc, getchar and ungetc, which gives a byte back. */
#include <ctype.h>
#include <labrys.h>
#include <stdio.h>

static int number(void) {
  int c, n = 0;
  while ((c = getc(stdin)) != EOF && isdigit(c)) n = n * 10 + (c - '0');
  ungetc(c, stdin);
  return n;
}

int main(void) {
  int a = number();
  int operator = getchar();
  int b = number();
  int last = fgetc(stdin);
  if (operator == '+' && a + b == 1000) labrys_target("sum");
  if (operator == '*' && last == ';' && a * b == 391) labrys_target("product");
  if (operator == EOF && a == 42) labrys_target("end");
  if (ungetc('Q', stdin) == 'Q' && getchar() == 'Q' && last == '!') labrys_target("other-byte");
  return 0;
}
