/* Keywords in context, looked up by a switch over the length.
 * cover: --stdin */
#include "keywords/sequence.h"

static int one_of(const char *word, const char *first, int number) {
  return memcmp(word, first, strlen(first)) ? -1 : number;
}

static int look_up(const char *word, unsigned length) {
  int found = -1;
  switch (length) {
  case 2:
    if ((found = one_of(word, "if", IF)) >= 0) return found;
    if ((found = one_of(word, "fi", FI)) >= 0) return found;
    if ((found = one_of(word, "in", IN)) >= 0) return found;
    return one_of(word, "do", DO);
  case 3: return one_of(word, "for", FOR);
  case 4:
    switch (word[0]) {
    case 't': return one_of(word, "then", THEN);
    case 'd': return one_of(word, "done", DONE);
    case 'c': return one_of(word, "case", CASE);
    case 'e':
      if ((found = one_of(word, "esac", ESAC)) >= 0) return found;
      if ((found = one_of(word, "elif", ELIF)) >= 0) return found;
      return one_of(word, "else", ELSE);
    }
    return -1;
  case 5: return word[0] == 'w' ? one_of(word, "while", WHILE) : one_of(word, "until", UNTIL);
  }
  return -1;
}
