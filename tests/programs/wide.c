/* Multi-byte characters in the C locale. */
#include <labrys.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int main(void) {
  char s[6];
  labrys_symbolic(s, sizeof s, "s");
  s[5] = 0;
  wchar_t w = 0;
  mbstate_t state;
  memset(&state, 0, sizeof state);
  size_t n = mbrtowc(&w, s, 5, &state);
  if (n == 1 && w == L'w') labrys_target("mbrtowc");
  if (n == 0) labrys_target("null");
  if (btowc((unsigned char)s[1]) == L'b') labrys_target("btowc");
  if (mbtowc(&w, s + 2, 3) == 1 && w == L'~') labrys_target("mbtowc");
  return 0;
}
