// inputs: 00 01
/* Each step along the list multiplies what the address of the next one may be. */
#include "labrys.h"
struct list {
  struct list *next;
  int value;
};
int main(void) {
  unsigned char n;
  labrys_symbolic(&n, 1, "n");
  struct list third = {0, n}, second = {&third, 2}, first = {&second, 1};
  third.next = n & 1 ? &first : 0;
  int steps = 0;
  for (struct list *at = &first; at && steps < 8; at = at->next) steps++;
  if (steps == 3) labrys_target("ends");
  if (steps == 8) labrys_target("goes_round");
  if (steps == 4) labrys_target("neither");
  return 0;
}
