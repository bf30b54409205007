/* Strings of wide characters. */
#include <labrys.h>
#include <wchar.h>

int main(void) {
  wchar_t s[7], t[7];
  char which;
  labrys_symbolic(&which, 1, "which");
  labrys_symbolic(s, sizeof s, "s");
  s[6] = 0;
  switch (which) {
  case 0:
    if (!wcscmp(s, L"\u03bb\u03ac\u03b2")) labrys_target("equal");
    break;
  case 1:
    if (!wcsncmp(s, L"axe", 3) && wcslen(s) == 4) labrys_target("prefix");
    break;
  case 2: {
    wchar_t *found = wcschr(s, L';');
    if (found && found[1] == L'|') labrys_target("found");
    break;
  }
  case 3:
    if (wcsstr(s, L"bull")) labrys_target("within");
    break;
  case 4:
    if (!wmemcmp(s, L"1234", 4)) labrys_target("memory");
    break;
  case 5:
    wcscpy(t, s);
    if (t[0] == L'Z' && wcsrchr(t, L'Z') == t + 3) labrys_target("copied");
    break;
  case 6:
    if (wcsspn(s, L"xy") == 5) labrys_target("span");
    break;
  case 7:
    if (wcstol(s, 0, 16) == 0xbeef) labrys_target("number");
    break;
  }
  return 0;
}
