/* "simple-while" of Daca, Gupta and Henzinger (VMCAI 2016), figure 4: only a run that takes the
 * same side in all of 30 iterations comes to the goal. */
#include <labrys.h>
#include <stdio.h>

enum { B = 30 };

int main(void) {
  int i = 0, x, b = 0;
  while (i < B) {
    labrys_symbolic(&x, sizeof x, "x");
    if (i == 6 && x == 4) b = 1;
    if (i != 6 && x != 4) b = 1;
    i++;
  }
  if (b == 0) printf("Goal!\n");
  return 0;
}
