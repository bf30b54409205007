/* Numbers in text that do not fit. */
#include <errno.h>
#include <labrys.h>
#include <limits.h>
#include <stdlib.h>

int main(void) {
  char s[24];
  labrys_symbolic(s, sizeof s, "s");
  s[23] = 0;
  long n = strtol(s, NULL, 10);
  if (n == LONG_MAX && errno == ERANGE) labrys_target("overflow");
  if (n == LONG_MIN && errno == 0) labrys_target("smallest");
  return 0;
}
