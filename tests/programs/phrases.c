/* Lists in parentheses, as in Lisp: what is asked of a text that was read whole, and no decision
 * on a byte tells that it came nearer. */
#include <labrys.h>
#include <unistd.h>

static char text[25];
static int position, words, numbers, quotes;

static int expression(void) {
  while (text[position] == ' ') position++;
  if (text[position] == '(') {
    position++;
    while (text[position] != ')')
      if (!expression()) return 0;
    position++;
  } else if (text[position] == '\'') {
    position++;
    quotes++;
    if (!expression()) return 0;
  } else if (text[position] >= '0' && text[position] <= '9') {
    while (text[position] >= '0' && text[position] <= '9') position++;
    numbers++;
  } else if (text[position] >= 'a' && text[position] <= 'z') {
    while (text[position] >= 'a' && text[position] <= 'z') position++;
    words++;
  } else {
    return 0;
  }
  while (text[position] == ' ') position++;
  return 1;
}

int main(void) {
  long size = read(0, text, 24);
  if (size <= 0 || !expression() || position != size) return 1;
  if (words >= 3 && numbers >= 3) labrys_target("mixed");
  if (size == 24 && quotes >= 1 && words >= 2 && numbers >= 2) labrys_target("whole");
  return 0;
}

/* targets: mixed whole */
