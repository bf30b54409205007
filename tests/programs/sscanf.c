/* sscanf: numbers, hexadecimal, words, characters, sets, widths, counts. */
#include <labrys.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  unsigned char which;
  char text[14];
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(text, sizeof text, "text");
  text[13] = 0;
  int a, b, used;
  unsigned u;
  short s;
  long l;
  char word[10], letters[10], c;
  switch (which) {
    case 0:
      if (sscanf(text, "%d.%d", &a, &b) == 2 && a == 192 && b == 168) labrys_target("dotted");
      break;
    case 1:
      if (sscanf(text, "%u%%", &u) == 1 && u == 95) labrys_target("unsigned");
      break;
    case 2:
      if (sscanf(text, "0x%x", &u) == 1 && u == 0xcafe) labrys_target("hex");
      break;
    case 3:
      if (sscanf(text, "%5s %c", word, &c) == 2 && !strcmp(word, "label") && c == '=')
        labrys_target("string");
      break;
    case 4:
      if (sscanf(text, "%9[a-f] = %9[^,],%hd", letters, word, &s) == 3 &&
          !strcmp(letters, "bad") && s == -7)
        labrys_target("sets");
      break;
    case 5:
      if (sscanf(text, "%ld:%*d:%n", &l, &used) == 1 && l > 50000) labrys_target("skipped");
      break;
    case 6:
      if (sscanf(text, "%3d%i", &a, &b) == 2 && a == 123 && b == 077) labrys_target("widths");
  }
  return 0;
}
