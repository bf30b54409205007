/* Searching in strings: characters, sets, other strings. */
#define _GNU_SOURCE
#include <labrys.h>
#include <string.h>

int main(void) {
  char s[16], t[16];
  labrys_symbolic(s, sizeof s, "s");
  labrys_symbolic(t, sizeof t, "t");
  s[15] = t[15] = 0;
  if (strlen(s) == 9) labrys_target("length");
  char *at = strchr(s, '@');
  if (at && strchr(at + 1, '.') == at + 3) labrys_target("address");
  if (strrchr(s, '/') == s + 7) labrys_target("last");
  if (strstr(s, "needle")) labrys_target("inside");
  if (strcasestr(t, "Thread")) labrys_target("inside-any-case");
  if (strspn(t, "0123456789") == 6) labrys_target("span");
  if (strcspn(t, ",;") == 5 && t[5] == ';') labrys_target("complement");
  char *p = strpbrk(t, "<>&");
  if (p && *p == '&' && p > t + 3) labrys_target("any");
  if (strnlen(s, 4) == 4 && memmem(t, 15, "ab", 3)) labrys_target("block");
  if (strchrnul(t, '#') == t + 2 && t[2]) labrys_target("or-end");
  return 0;
}
