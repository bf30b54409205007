#include <stdio.h>
static int depth;
static void once(void) { depth = 1; }
static void twice(void) { depth = 2; }
static void beyond(void) { depth = 3; }
typedef void step(void);
static step *const table[3] = {once, twice, beyond};
int main(void) {
  int c = getchar();
  if (c < '0' || c > '1') return 1;
  table[c - '0']();
  printf("%d\n", depth);
  return 0;
}
