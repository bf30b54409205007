/* Comparison of strings, whole, by prefix, without case. */
#include <labrys.h>
#include <string.h>
#include <strings.h>

int main(void) {
  char a[12], b[12], c[12];
  labrys_symbolic(a, sizeof a, "a");
  labrys_symbolic(b, sizeof b, "b");
  labrys_symbolic(c, sizeof c, "c");
  a[11] = b[11] = c[11] = 0;
  if (!strcmp(a, "labyrinth")) labrys_target("equal");
  if (!strncmp(b, "minotaur", 4) && b[4] == '-') labrys_target("prefix");
  if (!strcasecmp(c, "ThEsEuS") && c[0] == 't' && c[1] == 'H') labrys_target("case");
  if (!strncasecmp(a, "KNOSSOS!", 5) && a[5] == 'z') labrys_target("case-prefix");
  if (a[0] && !strcmp(a, b) && strlen(a) == 3) labrys_target("each-other");
  if (strcmp(b, "mmm") > 0 && strcmp(b, "mmo") < 0) labrys_target("between");
  if (strcoll(c, "daedalus") == 0) labrys_target("collated");
  return 0;
}
