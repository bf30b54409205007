/* A harness for CREST, unchanged. */
#include <crest.h>
#include <labrys.h>

int main(void) {
  int a, b;
  char c;
  unsigned short s;
  unsigned char u;
  CREST_int(a);
  CREST_int(b);
  CREST_char(c);
  CREST_unsigned_short(s);
  CREST_unsigned_char(u);
  if (2 * a == b) {
    if (a != b + 10) labrys_target("double");
  }
  if (c < 0 && c == -u) labrys_target("negative");
  if (s == 50000 && (u ^ 0x5a) == 0xff) labrys_target("wide");
  return 0;
}
