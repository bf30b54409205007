/* Characters of several bytes from a stream, and bytes that are none. */
#include <errno.h>
#include <labrys.h>
#include <locale.h>
#include <stdio.h>
#include <wchar.h>

int main(void) {
  setlocale(LC_ALL, "C.UTF-8");
  wint_t c = getwc(stdin);
  if (c == 0xe4) labrys_target("two bytes");
  if (c == 0x20ac) labrys_target("three bytes");
  if (c == 0x1f600) labrys_target("four bytes");
  if (c == WEOF) {
    labrys_target(feof(stdin) && errno != EILSEQ ? "end" : "no character");
    return 1;
  }
  if (c > 0x100 && getwc(stdin) == c + 1) labrys_target("next");
  return 0;
}
