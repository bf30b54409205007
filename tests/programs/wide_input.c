/* Wide characters from a stream, and their strings. */
#include <labrys.h>
#include <stdio.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
  wchar_t line[12];
  if (!fgetws(line, 12, stdin)) {
    labrys_target("none");
    return 1;
  }
  if (!wcscmp(line, L"wide\n")) labrys_target("wide");
  if (wcslen(line) == 5 && line[4] == L'!') labrys_target("five");
  if (wcschr(line, L'=') && wcstol(line, 0, 10) == 31) labrys_target("number");
  wint_t next = getwc(stdin);
  if (next != WEOF && iswupper(next) && towlower(next) == L'q') labrys_target("next");
  return 0;
}
