/* Decimal fractions in text. */
#include <labrys.h>
#include <stdlib.h>

int main(void) {
  char s[12];
  labrys_symbolic(s, sizeof s, "s");
  s[11] = 0;
  char *end;
  double d = strtod(s, &end);
  if (end == s) labrys_target("none");
  if (d == 3.25) labrys_target("fraction");
  if (d == -12.5 && *end == 0) labrys_target("negative");
  if (d > 99.5 && d < 100) labrys_target("range");
  if (d == 5e6 && end - s == 3) labrys_target("exponent");
  if (atof(s) == 0.0625) labrys_target("atof");
  return 0;
}
