/* Sizes that depend on input: of allocations, copies and fills. */
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned char n, m;
  char data[32];
  labrys_symbolic(&n, sizeof n, "n");
  labrys_symbolic(&m, sizeof m, "m");
  labrys_symbolic(data, sizeof data, "data");
  if (n > 32) return 1;
  char *block = malloc(n + 1u);
  memcpy(block, data, n);
  block[n] = 0;
  if (n == 21) labrys_target("size");
  if (n > 4 && block[n - 1] == ')' && block[0] == '(') labrys_target("ends");
  if (strlen(block) == 5) labrys_target("short");
  char fill[40] = {0};
  memset(fill, 'x', m % 40);
  if (fill[30] == 'x' && fill[31] == 0) labrys_target("filled");
  memmove(fill, data, n);
  if (n == 12 && fill[11] == '%') labrys_target("moved");
  free(block);
  return 0;
}
