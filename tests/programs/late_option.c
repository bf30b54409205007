/* cover: --strategy context-guided --runs 200 --sym-arg 1:2 -- xx
 * An option far back in the list: the library compares a letter with one after the other, at the
 * same place of its code. What comes before has more paths than there are runs. */
#include <labrys.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char text[33] = {0};
  int words = 0;
  labrys_symbolic(text, 32, "text");
  for (int i = 0; text[i]; i++) {
    if (text[i] == ' ' && text[i + 1] != ' ') words++;
    if (text[i] == '\\' || text[i] == '"') words += 2;
  }
  if (words > 20) return 1;
  int option = getopt(argc, argv, "abcdefghijklmnopqstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZr");
  if (option == 'Z') labrys_target("Z");
  if (option == 'r') labrys_target("r");
  return 0;
}
