#include <labrys.h>
#include <stdio.h>
int main(void) {
  int c, state = 0, count = 0;
  while ((c = getchar()) != EOF) {
    count++;
    switch (state) {
    case 0: state = c == 'k' ? 1 : 0; break;
    case 1: state = c == 'e' ? 2 : 0; break;
    case 2: state = c == 'y' ? 3 : 0; break;
    case 3: if (c == '=') labrys_target("key"); state = c == '\n' ? 0 : 3; break;
    default: labrys_target("fifth"); break;
    }
    if (c > 255) labrys_target("large");
    if (c < 0) labrys_target("negative");
  }
  if (count == 5 && state == 3) labrys_target("five");
  if (count < 0) labrys_target("fewer");
  if (feof(stdin) == 0 && c != EOF) labrys_target("no_end");
  if (getchar() == 'x') labrys_target("behind");
  return 0;
}
