/* cover: --sym-env LABRYS_MODE:8 --sym-env HOME:12 --stdin
 * Environment variables beside standard input. */
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  const char *mode = getenv("LABRYS_MODE"), *home = getenv("HOME");
  if (!mode || !home) {
    labrys_target("unset");
    return 1;
  }
  int c = getchar();
  if (!strcmp(mode, "verbose") && c == 'v') labrys_target("verbose");
  if (mode[0] == 'n' && atoi(mode + 1) == 42) labrys_target("number");
  if (!strncmp(home, "/srv/", 5) && home[5] == 'x') labrys_target("home");
  if (!*mode && c == EOF) labrys_target("empty");
  return 0;
}
/* never: unset */
