/* Errors of memory in runs that cover nothing new: each needs several branches that other runs
 * took one by one. A block that the library reuses without our notice is no error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  unsigned char b[12] = {0};
  if (fread(b, 1, 8, stdin) != 8) return 0;
  char *again = malloc(120);
  free(again);
  char *line = NULL;
  size_t room = 0;
  FILE *name = fopen("/proc/self/comm", "r");
  int r = name && getline(&line, &room, name) > 0 ? line[0] == 'Q' : 0;
  if (name) fclose(name);
  free(line);
  unsigned char *p = malloc(24), *early = NULL;
  memset(p, 1, 24);
  int n = 0;
  for (int i = 0; i < 5; i++) if (b[i] == 'a' + i) n |= 1 << i;
  if (n & 1) p[0] = 7;
  if (n & 4) p[1] = 7;
  if ((n & 5) == 5 && !(n & 2)) early = p;
  free(early);
  if (b[5] > 'x') r = p[3];
  if (b[6] > 'x') p[n] = 2;
  if (early == NULL) free(p);
  return r;
}
