/* Numbers in text: bases, signs, ends. */
#include <labrys.h>
#include <stdlib.h>

int main(void) {
  unsigned char which;
  char s[8], *end;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(s, sizeof s, "s");
  s[7] = 0;
  long n;
  switch (which) {
    case 0:
      n = strtol(s, &end, 10);
      if (n == -987 && *end == 'k') labrys_target("decimal");
      if (end == s && s[0] == '-') labrys_target("no-digits");
      break;
    case 2:
      if (strtoul(s, NULL, 16) == 0xfade) labrys_target("hex");
      break;
    case 3:
      if (strtol(s, NULL, 0) == 0755 && s[0] == '0') labrys_target("octal");
      break;
    case 4:
      if (strtol(s, NULL, 36) == 1296 + 35) labrys_target("base-36");
      break;
    case 5:
      if (strtoull(s, &end, 2) == 21 && !*end) labrys_target("binary");
      break;
    case 6:
      if (atoi(s) == 777) labrys_target("atoi");
      break;
    case 7:
      if (atol(s) == -55 && s[0] == ' ') labrys_target("atol");
  }
  return 0;
}
