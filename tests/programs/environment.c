/* The environment is looked at; nothing in it is symbolic unless asked for. */
#include <labrys.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  char c;
  const char *home = getenv("LABRYS_NO_SUCH_VARIABLE");
  if (read(0, &c, 1) == 1 && c == 'e' && !home) labrys_target("unset");
  return 0;
}
