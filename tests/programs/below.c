// A stack of characters in the first global variable: below its bottom, and above its top.
// failures: global-buffer-overflow
#include <labrys.h>
#include <stdio.h>

static int stack[4];
static int *top = stack;

int main(void) {
  int c;
  while ((c = getchar()) != EOF) {
    if (c == '(')
      *top++ = c;
    else if (c == ')') {
      if (*--top != '(') return 2;
    } else
      break;
  }
  if (top == stack + 2) labrys_target("two");
  return 0;
}
