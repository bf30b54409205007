/* Stores at places that depend on input. */
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  unsigned char i, j, k, v;
  labrys_symbolic(&i, sizeof i, "i");
  labrys_symbolic(&j, sizeof j, "j");
  labrys_symbolic(&k, sizeof k, "k");
  labrys_symbolic(&v, sizeof v, "v");
  int counts[8] = {0};
  counts[i & 7]++;
  counts[j & 7]++;
  counts[k & 7]++;
  if (counts[5] == 3) labrys_target("all-at-five");
  if (counts[1] == 2 && counts[6] == 1) labrys_target("two-and-one");
  char *heap = calloc(1, 16);
  heap[i & 15] = (char)v;
  if (!strcmp(heap + 9, "!")) labrys_target("heap");
  unsigned short wide[4] = {1, 2, 3, 4};
  wide[j & 3] ^= v;
  if (wide[0] + wide[1] + wide[2] + wide[3] == 250) labrys_target("wide");
  return 0;
}
