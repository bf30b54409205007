/* A JSON reader over up to 1 MiB of standard input; argument 1: how often it parses it. */
/* A JSON reader over at most 32 bytes, with goals that need depth, length and numbers. */
#include <labrys.h>
#include <string.h>
#include <unistd.h>

static char text[33];
static int position, depth, deepest, numbers, keys;

static void space(void) {
  while (text[position] == ' ' || text[position] == '\n' || text[position] == '\t') position++;
}

static int string(int is_key) {
  if (text[position++] != '"') return 0;
  int start = position;
  while (text[position] && text[position] != '"') {
    if (text[position] == '\\' && !text[++position]) return 0;
    position++;
  }
  if (!text[position]) return 0;
  if (is_key) keys++;
  if (is_key && position - start == 5 && !memcmp(text + start, "magic", 5)) {
    labrys_target("key");
    position++;
    return 2;
  }
  position++;
  return 1;
}

static int number(int is_magic) {
  int minus = text[position] == '-';
  if (minus) position++;
  if (text[position] < '0' || text[position] > '9') return 0;
  long value = 0;
  while (text[position] >= '0' && text[position] <= '9') value = value * 10 + text[position++] - '0';
  if (minus) value = -value;
  numbers++;
  if (value == -271828) labrys_target("number");
  if (is_magic && value == 31337) labrys_target("key with number");
  return 1;
}

static int value(int is_magic) {
  space();
  switch (text[position]) {
  case '{':
    position++;
    if (++depth > deepest) deepest = depth;
    for (space(); text[position] != '}';) {
      space();
      int key = string(1);
      if (!key) return 0;
      space();
      if (text[position++] != ':' || !value(key == 2)) return 0;
      space();
      if (text[position] == ',') position++;
      else if (text[position] != '}') return 0;
    }
    position++;
    depth--;
    return 1;
  case '[':
    position++;
    if (++depth > deepest) deepest = depth;
    for (space(); text[position] != ']';) {
      if (!value(0)) return 0;
      space();
      if (text[position] == ',') position++;
      else if (text[position] != ']') return 0;
    }
    position++;
    depth--;
    return 1;
  case '"': return string(0);
  case 't':
    if (strncmp(text + position, "true", 4)) return 0;
    labrys_target("true");
    position += 4;
    return 1;
  case 'n':
    if (strncmp(text + position, "null", 4)) return 0;
    position += 4;
    return 1;
  default: return number(is_magic);
  }
}

int main(void) {
  ssize_t size = read(0, text, 32);
  if (size <= 0) return 1;
  if (!value(0)) return 1;
  space();
  if (position != size) return 1;
  labrys_target("document");
  if (deepest >= 12) labrys_target("deep");
  if (size == 32 && numbers >= 4 && keys >= 2) labrys_target("long");
  return 0;
}
