/* Calls a function that is defined nowhere; the loader looks for it when it is called. */
#include <labrys.h>
#include <unistd.h>

int nowhere(int);

int main(void) {
  char c = 0;
  if (read(0, &c, 1) == 1 && c == 'x') labrys_target("x");
  return c == 'y' ? nowhere(3) : 0;
}
