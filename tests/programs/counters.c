/* cover: --max-input 64
 * Goals of counters and of numbers with many digits: no query brings them about, but runs come
 * nearer to them step by step. */
#include <labrys.h>
#include <string.h>
#include <unistd.h>

static char text[49];
static int at, depth, deepest;

static long number(void) {
  long value = 0;
  while (text[at] >= '0' && text[at] <= '9') value = value * 10 + text[at++] - '0';
  return value;
}

static int group(void) {
  if (text[at++] != '(') return 0;
  if (++depth > deepest) deepest = depth;
  while (text[at] != ')') {
    if (text[at] == '(') {
      if (!group()) return 0;
    } else if (!strncmp(text + at, "id", 2)) {
      at += 2;
      if (number() == 73019) labrys_target("id");
    } else {
      return 0;
    }
  }
  at++;
  depth--;
  return 1;
}

int main(void) {
  ssize_t size = read(0, text, sizeof text - 1);
  if (size <= 0 || !group() || at != size) return 1;
  if (deepest >= 6) labrys_target("deep");
  return 0;
}
