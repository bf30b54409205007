/* Keywords in context, looked up by bsearch.
 * cover: --stdin
 * open: while-list-do-list-done */
#include "keywords/sequence.h"
#include <stdlib.h>

static const struct keyword {
  const char *word;
  int number;
} table[WORDS] = {{"case", CASE}, {"do", DO},     {"done", DONE}, {"elif", ELIF}, {"else", ELSE},
                  {"esac", ESAC}, {"fi", FI},     {"for", FOR},   {"if", IF},     {"in", IN},
                  {"then", THEN}, {"until", UNTIL}, {"while", WHILE}};

static int compare(const void *word, const void *entry) {
  return strcmp(word, ((const struct keyword *)entry)->word);
}

static int look_up(const char *word, unsigned length) {
  (void)length;
  const struct keyword *found = bsearch(word, table, WORDS, sizeof table[0], compare);
  return found ? found->number : -1;
}
