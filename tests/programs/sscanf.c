/* sscanf: numbers, hexadecimal, words, characters, sets, widths, counts. */
#include <labrys.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char text[24];
  labrys_symbolic(text, sizeof text, "text");
  text[23] = 0;
  int a, b, used;
  unsigned u;
  short s;
  long l;
  char word[10], letters[10], c;
  if (sscanf(text, "%d.%d", &a, &b) == 2 && a == 192 && b == 168) labrys_target("dotted");
  if (sscanf(text, "%u%%", &u) == 1 && u == 95) labrys_target("unsigned");
  if (sscanf(text, "0x%x", &u) == 1 && u == 0xcafe) labrys_target("hex");
  if (sscanf(text, "%5s %c", word, &c) == 2 && !strcmp(word, "label") && c == '=')
    labrys_target("string");
  if (sscanf(text, "%9[a-f] = %9[^,],%hd", letters, word, &s) == 3 && !strcmp(letters, "bad") &&
      s == -7)
    labrys_target("sets");
  if (sscanf(text, "%ld:%*d:%n", &l, &used) == 1 && used == 15 && l > 5000000000L)
    labrys_target("skipped");
  if (sscanf(text, "%3d%i", &a, &b) == 2 && a == 123 && b == 0777) labrys_target("widths");
  return 0;
}
