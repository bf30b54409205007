/* Keywords in context, looked up by a perfect hash of the length and three letters.
 * cover: --stdin */
#include "keywords/sequence.h"

enum { MOST = 26 };
/* The hash is the length and the values of the first, the second and the last letter. */
static const unsigned char values[256] = {
    ['a'] = 8, ['c'] = 5, ['d'] = 10, ['e'] = 4, ['f'] = 5, ['h'] = 3,
    ['i'] = 4, ['l'] = 0, ['n'] = 1, ['o'] = 4, ['r'] = 6, ['s'] = 6,
    ['t'] = 3, ['u'] = 0, ['w'] = 14,
};
static const struct {
  const char *word;
  int number;
} table[MOST + 1] = {
    [6] = {"until", UNTIL},
    [8] = {"in", IN},
    [11] = {"then", THEN},
    [12] = {"else", ELSE},
    [13] = {"elif", ELIF},
    [15] = {"fi", FI},
    [16] = {"if", IF},
    [18] = {"for", FOR},
    [19] = {"esac", ESAC},
    [20] = {"do", DO},
    [21] = {"case", CASE},
    [22] = {"done", DONE},
    [26] = {"while", WHILE},
};

static unsigned value(char letter) {
  return values[(unsigned char)letter];
}

static int look_up(const char *word, unsigned length) {
  if (length < 2 || length > 5) return -1;
  unsigned at = length + value(word[0]) + value(word[1]) + value(word[length - 1]);
  if (at > MOST || !table[at].word) return -1;
  return *word == *table[at].word && !strcmp(word + 1, table[at].word + 1) ? table[at].number : -1;
}
