/* The environment is looked at; nothing in it is symbolic unless asked for, and nothing in it is
 * for the fork server. */
#include <labrys.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  char c = 0;
  const char *home = getenv("LABRYS_NO_SUCH_VARIABLE");
  if (read(0, &c, 1) == 1 && c == 'e' && !home) labrys_target("unset");
  if (c == 'l' && !getenv("LABRYS_ACTIVE")) labrys_target("clean");
  return 0;
}
