/* Lines: fgets, words at the start of lines, a last line without its end. */
#include <labrys.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char line[20];
  int lines = 0, state = 0;
  while (fgets(line, sizeof line, stdin)) {
    lines++;
    size_t n = strlen(line);
    if (n == sizeof line - 1 && line[n - 1] != '\n') labrys_target("long-line");
    if (!strcmp(line, "begin\n") && state == 0) state = 1;
    else if (!strcmp(line, "end\n") && state == 1) state = 2;
    else if (!strcmp(line, "x") && state == 2) labrys_target("unended");
  }
  if (lines == 0) labrys_target("nothing");
  if (lines == 4) labrys_target("four");
  if (state == 2) labrys_target("complete");
  return 0;
}
