/* As unmodelled.c, with an argument and a file.
 * cover: --fuzz --sym-arg 1:6 -- ab @@ */
#define _DEFAULT_SOURCE
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  char line[8] = "";
  FILE *file = argc > 2 ? fopen(argv[2], "r") : NULL;
  if (!file) return 1;
  if (a64l(argv[1]) % 32 == 21) labrys_target("argument");
  if (fgets(line, sizeof line, file) && a64l(line) % 32 == 11) labrys_target("file");
  return 0;
}
