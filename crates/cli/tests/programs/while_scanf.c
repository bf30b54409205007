/* As while_stdin.c, but its characters are read by scanf, of which the model checker follows nothing:
 * it finds no input for the goal. */
#include <stdio.h>

enum { B = 30 };

static int next(void) {
  unsigned char c;
  return scanf("%c", &c) == 1 ? c : EOF;
}

int main(void) {
  int b = 0;
  for (int i = 0; i < B; i++) {
    int x = next();
    if (i == 6 && x == 4) b = 1;
    if (i != 6 && x != 4) b = 1;
  }
  if (b == 0) printf("Goal!\n");
  return 0;
}
