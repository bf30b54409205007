/* Search in memory and strings: the functions beside strstr. */
#define _GNU_SOURCE
#include <labrys.h>
#include <string.h>

/* A string of its own for each function. */
static char *fresh(char *b, const char *name) {
  labrys_symbolic(b, 12, name);
  b[11] = 0;
  return b;
}

int main(void) {
  char b[12], copy[12];
  switch (*fresh(b, "which")) {
  case 'm':
    if (memmem(fresh(b, "memmem"), 11, "\0key", 4) == b + 5) labrys_target("memmem");
    break;
  case 'r':
    if (memrchr(fresh(b, "memrchr"), '/', 11) == b + 3 && b[1] == '/') labrys_target("memrchr");
    break;
  case 'c':
    if (strcasestr(fresh(b, "strcasestr"), "MaZe") == b + 2) labrys_target("strcasestr");
    break;
  case 'n':
    if (*strchrnul(fresh(b, "strchrnul"), '%') == '%' && b[0] == 'x') labrys_target("strchrnul");
    break;
  case 's': {
    char *text = fresh(b, "strsep"), *word = strsep(&text, ",;");
    if (text && *text == 'x' && strlen(word) == 2) labrys_target("strsep");
    break;
  }
  case 'p':
    if (strpbrk(fresh(b, "strpbrk"), "#!") == b + 4) labrys_target("strpbrk");
    break;
  case 'y':
    if (memccpy(copy, fresh(b, "memccpy"), '|', 11) == copy + 3) labrys_target("memccpy");
    break;
  case 'x':
    if (strxfrm(copy, fresh(b, "strxfrm"), 12) == 4 && !strcmp(copy, "sort"))
      labrys_target("strxfrm");
    break;
  }
  return 0;
}
