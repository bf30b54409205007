/* Functions of the program that have names of the library's: what LLVM knows of those does not hold
 * for these. No call becomes one of theirs, nor does one of theirs become a call of these. */
// never: puts
#include <labrys.h>
#include <stdio.h>
#include <string.h>

int memcmp(const void *a, const void *b, size_t size) {
  const unsigned char *left = a, *right = b;
  for (size_t i = 0; i < size; i++) {
    if (left[i] == '#' && i == 2) labrys_target("memcmp is the program's");
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  }
  return 0;
}

char *stpcpy(char *to, const char *from) {
  while ((*to = *from)) {
    if (*from == '~') labrys_target("stpcpy is the program's");
    to++, from++;
  }
  return to;
}

size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length]) {
    if (text[length] == '%') labrys_target("strlen is the program's");
    length++;
  }
  return length;
}

int puts(const char *text) {
  if (text[0]) labrys_target("puts");
  return 0;
}

int main(void) {
  char word[8], copy[8];
  labrys_symbolic(word, sizeof word, "word");
  word[7] = 0;
  if (memcmp(word, "ab#d", 4) == 0) labrys_target("equal");
  char *end = stpcpy(copy, word);
  if (end - copy == 5) labrys_target("five");
  if (strlen(word) == 6) labrys_target("six");
  printf("done\n");
  return 0;
}
