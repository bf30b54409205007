/* One fault of each kind, each on an input of its own. */
#include <labrys.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <assert.h>
int table[10];
static int deref(int *p) { return *p; }
static void check(int v) { assert(v != 77); }
int main(void) {
  char b[16] = {0};
  size_t n = fread(b, 1, 15, stdin);
  if (n < 4) return 0;
  char *h = malloc(8);
  switch (b[0]) {
  case 'a': if (b[1] == 'x') abort(); break;
  case 'b': check(b[1]); break;
  case 'c': return 100 / (b[1] - 5);
  case 'd': return deref(b[1] == 9 ? 0 : table);
  case 'e': return table[(unsigned char)b[1]];
  case 'f': h[(unsigned char)b[1]] = 1; break;
  case 'g': free(h); if (b[1] == 3) free(h); break;
  case 'h': if (b[1] == 4) { free(h); return h[1]; } break;
  case 'i': return 1 << (b[1] & 63);
  case 'j': if (b[1] == 'q') __builtin_trap(); break;
  case 'k': { char *s = strdup(b); memcpy(h, s, b[1]); free(s); break; }
  }
  return 0;
}
