/* Copying and joining strings. */
#define _GNU_SOURCE
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char s[8], out[40];
  labrys_symbolic(s, sizeof s, "s");
  s[7] = 0;
  strcpy(out, "<");
  strcat(out, s);
  strncat(out, ">>>", 1);
  if (!strcmp(out, "<horn>")) labrys_target("joined");
  char *copy = strdup(s);
  if (copy && strlen(copy) == 6 && copy[5] == '*') labrys_target("duplicate");
  char *part = strndup(s, 3);
  if (part && !strcmp(part, "axe")) labrys_target("part");
  strncpy(out, s, 10);
  if (out[2] == 0 && out[9] == 0 && out[0] == '%') labrys_target("padded");
  char *end = stpcpy(out, s);
  if (end - out == 4 && end[-1] == 'k') labrys_target("end");
  free(copy);
  free(part);
  return 0;
}
