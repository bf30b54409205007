/* Decimal fractions in text. */
#include <labrys.h>
#include <stdlib.h>

int main(void) {
  unsigned char which;
  char s[7], *end;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(s, sizeof s, "s");
  s[6] = 0;
  double d = strtod(s, &end);
  switch (which) {
    case 0:
      if (end == s) labrys_target("none");
      if (d == 3.25) labrys_target("fraction");
      break;
    case 1:
      if (d == -12.5 && *end == 0) labrys_target("negative");
      break;
    case 2:
      if (d > 99.5 && d < 100) labrys_target("range");
      break;
    case 3:
      if (d == 5e6 && end - s == 3) labrys_target("exponent");
      break;
    case 4:
      if (atof(s) == 0.0625) labrys_target("atof");
  }
  return 0;
}
