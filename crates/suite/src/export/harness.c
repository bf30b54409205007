#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t labrys_next;

static void labrys_take(void *object, size_t size) {
  unsigned char *to = object;
  if (LABRYS_ENDS && size && labrys_next >= LABRYS_SIZE) _exit(0);
  while (size--) *to++ = labrys_next < LABRYS_SIZE ? labrys_bytes[labrys_next++] : 0;
}

/* Weak, so that a definition by the program goes before. */
FOREIGN void labrys_symbolic(void *object, size_t size, const char *name) {
  (void)name;
  labrys_take(object, size);
}
FOREIGN void labrys_assume(int condition) {
  if (!condition) exit(0);
}
FOREIGN void labrys_target(const char *name) { fprintf(stderr, "target reached: %s\n", name); }
FOREIGN void __labrys_object(void *object, size_t size, const char *name, int type) {
  (void)name, (void)type;
  labrys_take(object, size);
}
FOREIGN void __labrys_failure(const char *text) {
  fprintf(stderr, "failure: %s\n", text);
  abort();
}
FOREIGN void __labrys_check(int condition, const char *text) {
  if (!condition) __labrys_failure(text);
}
