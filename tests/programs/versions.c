/* Versions: strverscmp, with numbers and with fractions. */
#define _GNU_SOURCE
#include <labrys.h>
#include <string.h>

int main(void) {
  char a[6];
  labrys_symbolic(a, sizeof a, "a");
  a[5] = 0;
  int low = strverscmp(a, "9.9"), high = strverscmp(a, "10.2");
  if (low > 0 && high < 0 && a[0] == '1') labrys_target("between");
  if (strverscmp(a, "1.09") > 0 && strverscmp(a, "1.1") < 0) labrys_target("fraction");
  if (!strverscmp(a, "3.14")) labrys_target("same");
  return 0;
}
