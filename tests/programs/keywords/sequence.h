/* Commands of a small shell, of which `look_up` knows the keywords:
 *   while LIST; do LIST; done      until LIST; do LIST; done      case WORD in … esac */
#include <labrys.h>
#include <stdio.h>
#include <string.h>

enum { IF, THEN, ELSE, ELIF, FI, WHILE, DO, DONE, UNTIL, CASE, ESAC, FOR, IN, WORDS };

static int look_up(const char *word, unsigned length);

int main(void) {
  char word[16];
  unsigned length = 0;
  int c, state = 0, first = 1, commands = 0;
  do {
    c = getchar();
    if (c >= 'a' && c <= 'z' && length < 15) {
      word[length++] = (char)c;
      continue;
    }
    if (length > 0) {
      word[length] = 0;
      int number = first ? look_up(word, length) : -1;
      length = 0;
      if (number == WHILE) labrys_target("while");
      if (number == ESAC) labrys_target("esac");
      if (number == UNTIL) labrys_target("until");
      if (number == WHILE || number == UNTIL) {
        state = 1;
        commands = 0;
      } else if (number == DO && state == 1 && commands > 0) {
        labrys_target("while-list-do");
        state = 2;
        commands = 0;
      } else if (number == DONE && state == 2 && commands > 0) {
        labrys_target("while-list-do-list-done");
      } else if (number < 0) {
        commands++;
      }
      first = number == WHILE || number == UNTIL || number == DO;
    }
    if (c == ';' || c == '\n') first = 1;
  } while (c != EOF);
}
