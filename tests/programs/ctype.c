/* Character classes, as functions and through the library's tables. */
#include <ctype.h>
#include <labrys.h>

int main(void) {
  unsigned char c[8];
  labrys_symbolic(c, sizeof c, "c");
  if (isupper(c[0]) && islower(c[1]) && isdigit(c[2]) && isspace(c[3]) && ispunct(c[4]))
    labrys_target("classes");
  if (isxdigit(c[5]) && !isdigit(c[5]) && !isupper(c[5])) labrys_target("hex-letter");
  if (iscntrl(c[6]) && isspace(c[6]) && !isblank(c[6])) labrys_target("control");
  if (toupper(c[7]) == 'Q' && c[7] != 'Q') labrys_target("to-upper");
  if (tolower(c[0]) == 'z' && toupper(c[1]) == 'Y') labrys_target("both");
  const unsigned short *table = *__ctype_b_loc();
  if (table[c[4]] & (unsigned short)_ISdigit && c[4] > '7') labrys_target("table");
  if ((isalpha)(c[2]) && (isalnum)(c[3]) && !(isalpha)(c[3])) labrys_target("functions");
  if (isgraph(c[6]) && isprint(c[7]) && !isgraph(c[7])) labrys_target("blank");
  return 0;
}
