/* Accesses whose value nobody uses, and that leave what they access. */
#include <stdio.h>
#include <string.h>
struct pair {
  int a, b;
};
static int some[4];
int main(void) {
  int number = 1, *p = &number;
  char letters[4];
  struct pair pair = {1, 2}, other;
  struct pair *none = 0;
  int end = 4;
  switch (getchar()) {
  case 'a': memset(letters, 0, sizeof letters + 2); break;
  case 'b': p[1] = 5; break;
  case 'c': p[-1] = 5; break;
  case 'd': { int x = p[1]; } break;
  case 'e': memcpy(&other, &pair, sizeof pair + 4); break;
  case 'f': { int *q = some; int x = q[end]; } break;
  case 'g': { int x = none->b; } break;
  case 'h': { int x = *(int *)96; } break;
  case 'i': memset((char *)&pair + 4, 0, sizeof pair); break;
  /* These stay inside. */
  case 'j': memset(letters + 1, 0, 3); break;
  case 'k': memcpy(&other, &pair, sizeof pair); break;
  case 'l': { int x = (p + 1)[-1]; } break;
  }
  return 0;
}
