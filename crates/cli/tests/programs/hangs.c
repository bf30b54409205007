/* Hangs on all input but the empty one. */
#include <unistd.h>
int main(void) {
  char c;
  if (read(0, &c, 1) == 1)
    for (;;) pause();
  return 0;
}
