/* qsort and bsearch with the program's own order. */
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

struct item { int key; char name; };
static int by_key(const void *a, const void *b) {
  int x = ((const struct item *)a)->key, y = ((const struct item *)b)->key;
  return (x > y) - (x < y);
}
static int bytes(const void *a, const void *b) {
  return *(const unsigned char *)a - *(const unsigned char *)b;
}

int main(void) {
  unsigned char b[5];
  struct item items[4];
  labrys_symbolic(b, sizeof b, "b");
  labrys_symbolic(items, sizeof items, "items");
  unsigned char sorted[5];
  memcpy(sorted, b, 5);
  qsort(sorted, 5, 1, bytes);
  if (sorted[2] == 100 && b[0] == 200) labrys_target("median");
  if (sorted[0] == 'a' && sorted[4] == 'e' && b[2] == 'e') labrys_target("ends");
  qsort(items, 4, sizeof *items, by_key);
  if (items[0].key == -5 && items[0].name == 'x' && items[3].key == 5) labrys_target("records");
  static const int table[] = {2, 3, 5, 8, 13, 21, 34, 55};
  struct item wanted = {b[0], 0};
  struct item rows[8];
  for (int i = 0; i < 8; i++) rows[i] = (struct item){table[i], (char)('a' + i)};
  struct item *hit = bsearch(&wanted, rows, 8, sizeof *rows, by_key);
  if (hit && hit->name == 'f') labrys_target("found");
  return 0;
}
