/* Switches: dense, sparse, ranges, fall-through, default, wide, nested. */
#include <labrys.h>

static int kind(unsigned char c) {
  switch (c) {
    case 'a' ... 'd':
    case '_': return 1;
    case '0' ... '3': return 2;
    case ' ':
    case '\t': return 3;
    case '+':
    case '-': return 4;
    default: return 0;
  }
}

int main(void) {
  unsigned char text[4];
  long wide;
  labrys_symbolic(text, sizeof text, "text");
  labrys_symbolic(&wide, sizeof wide, "wide");
  if (kind(text[0]) == 4 && kind(text[1]) == 2 && kind(text[2]) == 1 && kind(text[3]) == 3)
    labrys_target("kinds");
  switch (wide) {
    case -1: labrys_target("minus-one"); break;
    case 0x123456789abcL: labrys_target("far"); break;
    case 7:
      if (text[0] == 7) labrys_target("seven");
      /* fall through */
    case 8: labrys_target("seven-or-eight"); break;
    case 1000 ... 1999:
      if (wide == 1777) labrys_target("in-range");
      break;
    default:
      if (wide > 5000000000L && wide % 2 == 1) labrys_target("default");
  }
  switch (text[3] ^ text[2]) {
    case 0: case 1: case 2: case 3: case 4: break;
    case 5: case 6: case 7: case 8: case 9: labrys_target("middle"); break;
    case 10: case 11: case 12: case 13: case 14: break;
    case 200: labrys_target("high"); break;
  }
  return 0;
}
