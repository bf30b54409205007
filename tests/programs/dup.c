/* One input read through several descriptors and stdio at once. */
#include <labrys.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  char a, b, c[3];
  int copy = dup(0);
  if (read(0, &a, 1) != 1 || read(copy, &b, 1) != 1) return 1;
  FILE *f = fdopen(copy, "r");
  if (!f || !fgets(c, sizeof c, f)) return 2;
  if (a == 'd' && b == 'u' && c[0] == 'p' && c[1] == '!') labrys_target("together");
  if (a + b == 200 && c[0] == '\n') labrys_target("sum");
  dup2(copy, 9);
  lseek(9, 1, SEEK_SET);
  if (read(9, &a, 1) == 1 && a != b) labrys_target("other");
  if (a == 0x55) labrys_target("again");
  return 0;
}
/* never: other */
