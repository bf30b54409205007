/* Fills of negative length, with a value that is input: they fail where the memory ends. */
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned char in[2];
  labrys_symbolic(in, sizeof in, "in");
  char *block = malloc(16);
  if (!block || in[1] < 3) return 1;
  memset(block, in[0], in[1] - (size_t)256);
  return block[2];
}
