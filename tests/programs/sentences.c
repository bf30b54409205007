/* Sentences of words: library functions of which nothing is known split them and look them up, so
 * no condition tells the words, of which two at once must be right.
 * cover: --fuzz */
#define _GNU_SOURCE
#include <argz.h>
#include <labrys.h>
#include <search.h>

enum { NONE, SELECT, ALL, FROM, TABLE };

static const char *const words[] = {"select", "all", "from", "table"};

static char *text;
static size_t length;
static char *word;

static int next(void) {
  word = argz_next(text, length, word);
  ENTRY *found = word ? hsearch((ENTRY){word, NULL}, FIND) : NULL;
  return found ? (int)(long)found->data : NONE;
}

static int accept(int first, int second) {
  int one = next() == first, other = next() == second;
  return one & other;
}

int main(void) {
  char line[65] = "";
  labrys_symbolic(line, 64, "line");
  hcreate(16);
  for (long i = 0; i < 4; i++) hsearch((ENTRY){(char *)words[i], (void *)(SELECT + i)}, ENTER);
  argz_create_sep(line, ' ', &text, &length);
  if (!accept(SELECT, ALL)) return 1;
  labrys_target("select all");
  if (!accept(FROM, TABLE)) return 1;
  labrys_target("from table");
  return 0;
}
