/* Multi-byte characters in a UTF-8 locale. */
#include <labrys.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
  if (!setlocale(LC_ALL, "C.UTF-8")) return 1;
  char s[10];
  labrys_symbolic(s, sizeof s, "s");
  s[9] = 0;
  wchar_t w = 0;
  mbstate_t state;
  memset(&state, 0, sizeof state);
  size_t n = mbrtowc(&w, s, 5, &state);
  if (n == 2 && w == 0x3bb) labrys_target("two-bytes");
  if (n == 3 && w == 0x20ac) labrys_target("three-bytes");
  if (n == 4 && w == 0x1f402) labrys_target("four-bytes");
  if (n == (size_t)-1) labrys_target("invalid");
  if (n == (size_t)-2) labrys_target("incomplete");
  if (mbtowc(&w, s + 5, 4) == 1 && iswalpha((wint_t)w) && towupper((wint_t)w) == L'M')
    labrys_target("letter");
  return 0;
}
/* never: incomplete */
