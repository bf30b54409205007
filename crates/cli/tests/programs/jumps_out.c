/* A parser that leaves by longjmp: what its functions do by themselves is proved all the same. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf top;
static int depth, errors;
static void fail(const char *what) {
  errors++;
  longjmp(top, what ? 2 : 1);
}
static int kind(int c) {
  if (c >= '0' && c <= '9') return 1;
  if (c == '(') return 2;
  if (c == ')') return 3;
  return 0;
}
static int parse(const char *text) {
  int n = 0;
  for (; *text; text++) {
    switch (kind(*text)) {
      case 0: fail("character"); break;
      case 1: n = n * 10 + (*text & 15); break;
      case 2: if (++depth > 4) fail("deep"); break;
      case 3: if (--depth < 0) fail(NULL); break;
      case 4: n = -1; // never
    }
    if ((n & 1) == 2)
      abort(); // never
  }
  return n;
}
int main(void) {
  char text[64];
  while (fgets(text, sizeof text, stdin)) {
    text[strcspn(text, "\n")] = 0;
    depth = 0;
    if (setjmp(top)) { puts("error"); if (errors > 3) return 1; continue; }
    printf("%d\n", parse(text));
  }
  return 0;
}
