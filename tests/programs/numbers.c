/* Numbers in text: bases, signs, ends, overflow. */
#include <errno.h>
#include <labrys.h>
#include <limits.h>
#include <stdlib.h>

int main(void) {
  char s[24], t[8];
  labrys_symbolic(s, sizeof s, "s");
  labrys_symbolic(t, sizeof t, "t");
  s[23] = t[7] = 0;
  char *end;
  long n = strtol(s, &end, 10);
  if (n == -98765 && *end == 'k') labrys_target("decimal");
  if (end == s && s[0] == '-') labrys_target("no-digits");
  errno = 0;
  n = strtol(s, NULL, 10);
  if (n == LONG_MAX && errno == ERANGE) labrys_target("overflow");
  if (n == LONG_MIN && errno == 0) labrys_target("smallest");
  if (strtoul(t, NULL, 16) == 0xfade) labrys_target("hex");
  if (strtol(t, NULL, 0) == 0755 && t[0] == '0') labrys_target("octal");
  if (strtol(t, NULL, 36) == 1296 + 35) labrys_target("base-36");
  if (strtoull(t, &end, 2) == 21 && !*end) labrys_target("binary");
  if (atoi(t) == 777) labrys_target("atoi");
  if (atol(t) == -55 && t[0] == ' ') labrys_target("atol");
  return 0;
}
