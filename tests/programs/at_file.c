/* cover: -- -v @@
 * A file named on the command line beside an option. */
#include <labrys.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 3 || strcmp(argv[1], "-v")) return 1;
  FILE *f = fopen(argv[2], "r");
  if (!f) return 2;
  char key[16], value[16];
  while (fscanf(f, "%15[a-z]=%15s\n", key, value) == 2) {
    if (!strcmp(key, "color") && !strcmp(value, "red")) labrys_target("red");
    if (!strcmp(key, "size") && value[0] == '1' && value[1] == '2') labrys_target("twelve");
  }
  if (feof(f) && ftell(f) == 0) labrys_target("empty");
  fclose(f);
  return 0;
}
