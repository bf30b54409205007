// options: -fshort-wchar
// inputs: 00 01 02 03
// The compiler counts characters of two bytes where it can count, the library those of four.
#include <labrys.h>
#include <wchar.h>
int main(void) {
  unsigned char a;
  labrys_symbolic(&a, 1, "a");
  wchar_t w[12] = {L'a', L'b', (a & 1) ? L'c' : L'd', 0};
  if (wcslen(w) == 3) labrys_target("three");
  if (wcslen(w) == 2) labrys_target("two");
  const wchar_t *s = (a & 2) ? L"abc\0\0\0\0" : L"abcde\0\0\0";
  if (wcslen(s) == 5) labrys_target("five");
  if (wcslen(s) == 2) labrys_target("of four bytes");
  return 0;
}
