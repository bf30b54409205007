/* cover: --sym-arg 1:6 --sym-arg 2:8 -- a b
 * Symbolic arguments: a word, a number, an option. */
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 3) return 1;
  if (!strcmp(argv[1], "--list")) labrys_target("list");
  if (argv[1][0] == '-' && argv[1][1] == 'n' && atoi(argv[1] + 2) == 250) labrys_target("number");
  if (strlen(argv[1]) == 4 && strlen(argv[2]) == 7) labrys_target("lengths");
  if (!strcmp(argv[1], "set") && !strncmp(argv[2], "x=", 2) && atoi(argv[2] + 2) == -31)
    labrys_target("assignment");
  if (!*argv[1] && !*argv[2]) labrys_target("empty");
  return 0;
}
