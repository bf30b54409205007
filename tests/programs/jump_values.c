/* What setjmp returns is what longjmp was given. */
#include <labrys.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static jmp_buf out;
static char message[32];

static void fail(int code, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  longjmp(out, code);
}

int main(void) {
  static unsigned char text[4];
  int code = setjmp(out);
  if (code == 7) labrys_target("seven");
  if (code == 1 && text[0] == 0) labrys_target("of zero");
  if (code > 200 && strcmp(message, "200 at 3") == 0) labrys_target("message");
  if (code) return 1;
  labrys_symbolic(text, sizeof text, "text");
  fail(text[0], "%d at %d", text[1], text[2]);
}
