/* Branches on the order in which the compiler lays out variables, which differs from build to
 * build: what the plain build does counts. */
#include <labrys.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

struct text {
  char *data;
  size_t length;
  char own[16];
};

/* As std::string does: what overlaps is moved with care. */
__attribute__((noinline)) static void assign(struct text *to, const char *from, size_t length) {
  uintptr_t first = (uintptr_t)to->data, source = (uintptr_t)from;
  if (source < first || source > first + to->length) {
    if (length) memcpy(to->data, from, length);
  } else {
    memmove(to->data, from, length);
  }
  to->length = length;
}

int main(void) {
  struct text word = {word.own, 0, ""};
  char line[16];
  struct text other = {other.own, 0, ""};
  ssize_t length = read(0, line, sizeof line);
  if (length < 5) return 1;
  assign(&word, line, 5);
  assign(&other, word.data, 5);
  if (!memcmp(other.data, "hello", 5)) labrys_target("hello");
  return 0;
}
