/* TRE on a pattern of 10 and a text of 20 symbolic bytes. */
#include <labrys.h>
#include <string.h>

#include "tre.h"

int main(void) {
  static char pattern[11], text[21];
  unsigned char flags;
  labrys_symbolic(pattern, 10, "pattern");
  labrys_symbolic(text, 20, "text");
  labrys_symbolic(&flags, 1, "flags");
  pattern[10] = text[20] = 0;
  regex_t regex;
  int how = (flags & 1 ? REG_EXTENDED : 0) | (flags & 2 ? REG_ICASE : 0) | (flags & 4 ? REG_NEWLINE : 0);
  if (tre_regcomp(&regex, pattern, how)) return 1;
  regmatch_t matches[4];
  int found = tre_regexec(&regex, text, 4, matches, 0);
  tre_regfree(&regex);
  return found;
}
