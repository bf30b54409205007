/* Small functions of the standard library on numbers. */
#define _GNU_SOURCE
#include <ctype.h>
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int a, b;
  long c;
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  labrys_symbolic(&c, sizeof c, "c");
  if (abs(a) == 17 && a < 0) labrys_target("abs");
  if (labs(c) == 1L << 40 && c < 0) labrys_target("labs");
  if (b > 0) {
    div_t d = div(a, b);
    if (d.quot == 11 && d.rem == 7) labrys_target("div");
  }
  if (ffs(a) == 9 && a != 256) labrys_target("ffs");
  if (ffsl(c) == 50) labrys_target("ffsl");
  if (toascii(b) == 'T' && b > 1000) labrys_target("toascii");
  return 0;
}
