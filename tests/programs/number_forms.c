/* Numbers in text that are no decimal fractions. */
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char b[24];
  if (!fgets(b, sizeof b, stdin)) return 1;
  char *end;
  double d = strtod(b, &end);
  if (d != d) labrys_target("nan");
  if (d < -1e308 && d + d == d) labrys_target("-inf");
  if (d > 1e308 && end == b + 8) labrys_target("infinity");
  if (d == 0x1b && b[1] == 'x') labrys_target("hexadecimal");
  if (d == 0 && b[1] == 'X' && end == b + 1) labrys_target("zero");
  return 0;
}
