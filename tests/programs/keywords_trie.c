/* Keywords in context, looked up in a trie that the program makes.
 * cover: --stdin */
#include "keywords/sequence.h"

static const char *const words[WORDS] = {"if",   "then",  "else", "elif", "fi",  "while", "do",
                                         "done", "until", "case", "esac", "for", "in"};
static unsigned char next[64][26];
static signed char numbers[64];
static unsigned char nodes;

static void fill(void) {
  nodes = 1;
  for (int i = 0; i < 64; i++) numbers[i] = -1;
  for (int i = 0; i < WORDS; i++) {
    unsigned at = 0;
    for (const char *s = words[i]; *s; s++) {
      unsigned char *link = &next[at][*s - 'a'];
      if (!*link) *link = nodes++;
      at = *link;
    }
    numbers[at] = (signed char)i;
  }
}

static int look_up(const char *word, unsigned length) {
  unsigned at = 0;
  if (!nodes) fill();
  for (unsigned i = 0; i < length; i++) {
    at = next[at][word[i] - 'a'];
    if (!at) return -1;
  }
  return numbers[at];
}
