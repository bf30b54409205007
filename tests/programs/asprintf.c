/* Text that is printed to memory, whose length depends on input. */
#define _GNU_SOURCE
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  signed char n;
  char name[6];
  labrys_symbolic(&n, sizeof n, "n");
  labrys_symbolic(name, sizeof name, "name");
  name[5] = 0;
  char *text = 0;
  if (asprintf(&text, "%s=%d", name, n) < 0) return 1;
  if (!strcmp(text, "ab=-12")) labrys_target("text");
  if (strlen(text) == 8 && text[7] == '7') labrys_target("length");
  free(text);
  return 0;
}
