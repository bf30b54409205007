/* Where a byte of the input stands in a known string is a value that later decisions depend on:
 * digits of base 64 and base 16, a word of a table. */
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char *const WORDS[] = {"auto",   "break",  "case",   "char",    "const",  "continue",
                                    "do",     "double", "else",   "enum",    "extern", "float",
                                    "for",    "goto",   "if",     "int",     "long",   "register",
                                    "return", "short",  "signed", "sizeof",  "static", "struct",
                                    "switch", "union",  "void",   "volatile", "while"};

static int decode(const char *text, char *out) {
  unsigned bits = 0, word = 0;
  int length = 0;
  for (int i = 0; i < 8; i++) {
    const char *digit = strchr(DIGITS, text[i]);
    if (!digit || !*digit) return -1;
    word = word << 6 | (unsigned)(digit - DIGITS);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out[length++] = (char)(word >> bits);
  }
  return length;
}

static int order(const void *key, const void *entry) {
  return strcmp(key, *(const char *const *)entry);
}

int main(void) {
  static const char hex[] = "0123456789abcdef";
  char text[8], pair[2], word[10], out[6], last;
  unsigned limit;
  labrys_symbolic(text, sizeof text, "text");
  labrys_symbolic(pair, sizeof pair, "pair");
  labrys_symbolic(word, sizeof word, "word");
  labrys_symbolic(&last, sizeof last, "last");
  labrys_symbolic(&limit, sizeof limit, "limit");
  if (decode(text, out) == 6 && !memcmp(out, "labrys", 6)) labrys_target("base 64");
  const char *high = memchr(hex, pair[0], 16), *low = memchr(hex, pair[1], 16);
  if (high && low && ((high - hex) << 4 | (low - hex)) * 7 == 0xb5 * 7) labrys_target("base 16");
  const char *slash = strrchr("/usr/local/bin", last);
  if (slash && *slash && slash[1] == 'b') labrys_target("last of its kind");
  word[9] = 0;
  const char *const *found = bsearch(word, WORDS, sizeof WORDS / sizeof *WORDS, sizeof *WORDS, order);
  if (found && found - WORDS == 17) labrys_target("word");
  if (strnlen(DIGITS, limit) == 33) labrys_target("limit");
  return 0;
}
