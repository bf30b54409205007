/* setjmp and longjmp: out of a parser, with a value, several times. */
#include <labrys.h>
#include <setjmp.h>

static jmp_buf out;
static volatile int depth;

static int parse(const unsigned char *s) {
  if (*s == '(') {
    depth++;
    const int n = parse(s + 1);
    depth--;
    return n + 1;
  }
  if (*s == '!') longjmp(out, depth + 10);
  if (*s == '?') longjmp(out, 1);
  return 0;
}

int main(void) {
  unsigned char text[6];
  labrys_symbolic(text, sizeof text, "text");
  text[5] = 0;
  switch (setjmp(out)) {
    case 0:
      if (parse(text) == 5) labrys_target("deep");
      break;
    case 1:
      if (text[4] == '?') labrys_target("question");
      break;
    case 13: labrys_target("three-deep"); break;
    default:
      if (text[1] == 'z') labrys_target("other");
  }
  return 0;
}
