/* Cutting strings: strtok, strtok_r, strsep. */
#define _GNU_SOURCE
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char s[16], t[16], u[16];
  labrys_symbolic(s, sizeof s, "s");
  labrys_symbolic(t, sizeof t, "t");
  labrys_symbolic(u, sizeof u, "u");
  s[15] = t[15] = u[15] = 0;
  char *word = strtok(s, " ,");
  if (word && !strcmp(word, "move")) {
    word = strtok(NULL, " ,");
    if (word && atoi(word) == 12) {
      labrys_target("command");
      if (!strtok(NULL, " ,")) labrys_target("command-alone");
    }
  }
  char *save;
  int n = 0;
  for (char *w = strtok_r(t, ":", &save); w; w = strtok_r(NULL, ":", &save)) n++;
  if (n == 4) labrys_target("four");
  char *rest = u, *field;
  int empty = 0, fields = 0;
  while ((field = strsep(&rest, ";"))) {
    fields++;
    empty += !*field;
  }
  if (fields == 5 && empty == 2) labrys_target("fields");
  return 0;
}
