/* read in small pieces until nothing comes any more. */
#include <labrys.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char text[64];
  size_t n = 0;
  for (;;) {
    ssize_t got = read(0, text + n, 5);
    if (got <= 0) break;
    n += (size_t)got;
    if (got < 5 && n > 12) labrys_target("short-read");
    if (n > 50) break;
  }
  if (n == 0) labrys_target("empty");
  if (n == 23 && !memcmp(text + 16, "minotaur", 7)) labrys_target("across-pieces");
  if (read(0, text, 1) == 0 && read(0, text, 1) == 0 && n == 10) labrys_target("eof-again");
  return 0;
}
