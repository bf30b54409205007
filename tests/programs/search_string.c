/* Searching in strings: characters, sets, other strings. */
#define _GNU_SOURCE
#include <labrys.h>
#include <string.h>

int main(void) {
  unsigned char which;
  char s[16];
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(s, sizeof s, "s");
  s[15] = 0;
  char *p;
  switch (which) {
    case 0:
      if (strlen(s) == 9) labrys_target("length");
      break;
    case 1:
      p = strchr(s, '@');
      if (p && strchr(p + 1, '.') == p + 3) labrys_target("address");
      break;
    case 2:
      if (strrchr(s, '/') == s + 7) labrys_target("last");
      break;
    case 3:
      if (strstr(s, "needle")) labrys_target("inside");
      break;
    case 4:
      if (strcasestr(s, "Thread")) labrys_target("inside-any-case");
      break;
    case 5:
      if (strspn(s, "0123456789") == 6) labrys_target("span");
      break;
    case 6:
      if (strcspn(s, ",;") == 5 && s[5] == ';') labrys_target("complement");
      break;
    case 7:
      p = strpbrk(s, "<>&");
      if (p && *p == '&' && p > s + 3) labrys_target("any");
      break;
    case 8:
      if (strnlen(s, 4) == 4 && memmem(s, 15, "ab", 3)) labrys_target("block");
      break;
    case 9:
      if (strchrnul(s, '#') == s + 2 && s[2]) labrys_target("or-end");
  }
  return 0;
}
