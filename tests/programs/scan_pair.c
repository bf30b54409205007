/* Two numbers of a line with a comma between them and any white space, by sscanf. */
#include <labrys.h>
#include <stdio.h>

int main(void) {
  char line[64];
  int a, b;
  if (!fgets(line, sizeof line, stdin)) return 1;
  if (sscanf(line, "%d , %d", &a, &b) != 2) return 2;
  labrys_target("two");
  if (a == 12 && b == -7) labrys_target("values");
  if (a + b == 1000 && a > b + 10) labrys_target("sum");
  return 0;
}
