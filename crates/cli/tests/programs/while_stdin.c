/* As simple_while.c, but with characters of standard input: the model checker finds the input for the
 * goal by executing a path to it again, with the surroundings of the program. */
#include <stdio.h>

enum { B = 30 };

int main(void) {
  int b = 0;
  for (int i = 0; i < B; i++) {
    int x = getchar();
    if (i == 6 && x == 4) b = 1;
    if (i != 6 && x != 4) b = 1;
  }
  if (b == 0) printf("Goal!\n");
  return 0;
}
