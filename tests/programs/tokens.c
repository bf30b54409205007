/* Cutting strings: strtok, strtok_r, strsep. */
#define _GNU_SOURCE
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

static void command(char *s) {
  char *word = strtok(s, " ,");
  if (!word || strcmp(word, "move")) return;
  word = strtok(NULL, " ,");
  if (!word || atoi(word) != 12) return;
  labrys_target("command");
  if (!strtok(NULL, " ,")) labrys_target("command-alone");
}

int main(void) {
  unsigned char which;
  char s[12], *save, *rest = s, *field;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(s, sizeof s, "s");
  s[11] = 0;
  int n = 0, empty = 0, fields = 0;
  switch (which) {
    case 0: command(s); break;
    case 1:
      for (char *w = strtok_r(s, ":", &save); w; w = strtok_r(NULL, ":", &save)) n++;
      if (n == 4) labrys_target("four");
      break;
    case 2:
      while ((field = strsep(&rest, ";"))) {
        fields++;
        empty += !*field;
      }
      if (fields == 5 && empty == 2) labrys_target("fields");
  }
  return 0;
}
