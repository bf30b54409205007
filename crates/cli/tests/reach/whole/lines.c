#include <labrys.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[32];
  int depth = 0, begun = 0;
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (!strcmp(line, "begin")) { depth++; begun = 1; }
    else if (!strcmp(line, "end")) {
      if (depth == 0) { labrys_target("unopened"); return 1; }
      if (--depth == 0 && begun) labrys_target("closed");
    }
    if (strlen(line) > 31) labrys_target("long_line");
    if (depth < 0) labrys_target("below");
  }
  if (depth == 2) labrys_target("two_open");
  return 0;
}
