/* A block stays as it was where there is no memory for a larger one.
 *
 * never: changed halved */
#include <labrys.h>
#include <stdlib.h>

int main(void) {
  size_t size;
  labrys_symbolic(&size, sizeof size, "size");
  unsigned char *block = malloc(8), *larger;
  int halved = 0;
  if (!block) return 1;
  block[7] = 7;
  if (size < (size_t)1 << 40) size = 16;
  while (!(larger = realloc(block, size))) {
    if (block[7] != 7) labrys_target("changed");
    if (++halved > 3) labrys_target("halved");
    size /= 1 << 12;
  }
  if (larger[7] == 7 && !halved) labrys_target("at_once");
  if (larger[7] == 7 && halved == 2) labrys_target("twice");
  free(larger);
  return 0;
}
