/* Text made of values and then looked at: snprintf and sprintf. */
#include <labrys.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  int a;
  unsigned u;
  unsigned char c;
  char s[6], out[40];
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&u, sizeof u, "u");
  labrys_symbolic(&c, sizeof c, "c");
  labrys_symbolic(s, sizeof s, "s");
  s[5] = 0;
  snprintf(out, sizeof out, "%d", a);
  if (!strcmp(out, "-407")) labrys_target("decimal");
  int n = snprintf(out, 4, "%u", u);
  if (n == 7 && !strcmp(out, "123")) labrys_target("cut");
  sprintf(out, "%x", u);
  if (!strcmp(out, "c0de")) labrys_target("hex");
  sprintf(out, "[%s]", s);
  if (!strcmp(out, "[ox]")) labrys_target("string");
  snprintf(out, sizeof out, "<%.3s>", s);
  if (!strcmp(out, "<hex>")) labrys_target("precision");
  sprintf(out, "%c%03d", c, a & 63);
  if (!strcmp(out, "k042")) labrys_target("padded");
  return 0;
}
