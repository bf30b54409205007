/* An error of memory that adds nothing to coverage: a copy without a bound. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char *word = calloc(24, 1);
  int c, n = 0;
  while ((c = getchar()) >= 'a') word[n++] = (char)c;
  return word[0] & 1;
}
