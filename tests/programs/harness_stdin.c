/* cover: --stdin
 * Standard input beside objects of a harness. */
#include <labrys.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char key[4], line[8] = "";
  labrys_symbolic(key, sizeof key, "key");
  if (!fgets(line, sizeof line, stdin)) labrys_target("no-line");
  for (int i = 0; i < 4; i++)
    if ((line[i] ^ key[i]) != "door"[i]) return 1;
  labrys_target("open");
  if (key[0] == 'k' && line[4] == '\n') labrys_target("open-with-key");
  return 0;
}
