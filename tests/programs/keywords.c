/* Words that a hash table with probing looks up, in a sequence.
 * cover: --stdin */
#include <labrys.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 32, WHILE = 5, DO, DONE, WORDS = 13 };
static const char *const words[WORDS] = {"if",   "then",  "else", "elif", "fi",  "while", "do",
                                         "done", "until", "case", "esac", "for", "in"};
static const char *table[SIZE];
static int numbers[SIZE];

static unsigned hash(const char *s) {
  unsigned h = 5381;
  while (*s) h = h * 33 + (unsigned char)*s++;
  return h % SIZE;
}

static void fill(void) {
  for (int i = 0; i < WORDS; i++) {
    unsigned at = hash(words[i]);
    while (table[at]) at = (at + 1) % SIZE;
    table[at] = words[i];
    numbers[at] = i;
  }
}

static int look_up(const char *s) {
  for (unsigned at = hash(s); table[at]; at = (at + 1) % SIZE)
    if (!strcmp(table[at], s)) return numbers[at];
  return -1;
}

int main(void) {
  char word[16];
  int length = 0, state = 0, c;
  fill();
  do {
    c = getchar();
    if (c >= 'a' && c <= 'z' && length < 15) {
      word[length++] = (char)c;
      continue;
    }
    if (length == 0) continue;
    word[length] = 0;
    length = 0;
    int number = look_up(word);
    if (number == WHILE) state = 1;
    else if (number == DO && state == 1) state = 2;
    else if (number == DONE && state == 2) labrys_target("while-do-done");
    if (number == WHILE) labrys_target("while");
    if (state == 2) labrys_target("while-do");
  } while (c != EOF);
}
