/* A pointer that is one of several objects, chosen by input. */
#include <labrys.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

int main(void) {
  unsigned char which, depth;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&depth, sizeof depth, "depth");
  int a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40};
  static int c[4] = {100, 200, 300, 400};
  int *table[3] = {a, b, c};
  if (which < 3 && table[which][depth & 3] == 300) labrys_target("third");
  if (which < 3) {
    table[which][1] = 7;
    if (b[1] == 7) labrys_target("stored");
  }
  struct node nodes[5];
  for (int i = 0; i < 5; i++) {
    nodes[i].value = i * i + 3;
    nodes[i].next = &nodes[(i * 3 + 1) % 5];
  }
  if (which >= 5) return 0;
  struct node *at = &nodes[which];
  if (at->next->next->value == 19) labrys_target("chain");
  if (at->next == at) labrys_target("loop");
  return 0;
}
