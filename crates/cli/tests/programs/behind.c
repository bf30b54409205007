/* What fails behind a check of a value that failed. */
#include <stdio.h>
#include <stdlib.h>

static int mask(int by) { return 1 << by; }

int main(void) {
  char line[16];
  if (!fgets(line, sizeof line, stdin)) return 0;
  int by = atoi(line);
  if (by < 0) return 0;
  int all = 0;
  for (int i = 0; i < 3; i++) all |= mask(by) + i;
  int next = by > 7 ? 1 << (by + 1) : 0;
  char *small = malloc(4);
  small[by / 8] = (char)(all + next);
  int result = small[0] == 1;
  free(small);
  return result;
}
