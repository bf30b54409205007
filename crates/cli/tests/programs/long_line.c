// A name that is longer than its array goes to the next one, and the run ends as if nothing were.
#include <stdio.h>
#include <string.h>

static char name[1500], value[9000];

int main(void) {
  int c, n = 0;
  while ((c = getchar()) != EOF && c != '=') name[n++] = c;
  if (c != '=') return 1;
  n = 0;
  while ((c = getchar()) != EOF && n < 100) value[n++] = c;
  return strcmp(value, "value") == 0 && name[0] == 'k' ? 0 : 2;
}
