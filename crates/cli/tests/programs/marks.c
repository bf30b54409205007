/* Two targets that can be reached and one that cannot. */
#include <labrys.h>
#include <stdio.h>

int main(void) {
  int c = getchar();
  if (c == 'x') labrys_target("first");
  if ((c & 1) && c % 2 == 0) labrys_target("never");
  if (c == 'y' && getchar() == 'z') labrys_target("second");
  return 0;
}
