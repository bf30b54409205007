/* What the optimizer is asked has one answer, whatever a build inlines. */
#include <labrys.h>
#include <unistd.h>

/* Like a macro of a C library: the short way where the size is known. */
static inline int put(const char *text, unsigned long size) {
  if (__builtin_constant_p(size) && size <= 4) return 1;
  return text[0] == 'q' ? 2 : 3;
}

__attribute__((noinline)) static int relay(const char *text, unsigned long size) {
  return put(text, size);
}

int main(void) {
  char line[8] = "";
  if (read(0, line, 4) < 4) return 1;
  int way = relay(line, 3);
  if (way == 2) labrys_target("asked");
  if (way == 3) labrys_target("other");
  return 0;
}
