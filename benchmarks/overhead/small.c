/* A program as small as tests have them. */
#include <stdio.h>

int main(void) {
  int c = getchar(), d = getchar();
  if (c == 'x' && d > c) puts("x");
  return c == d;
}
