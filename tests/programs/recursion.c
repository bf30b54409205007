/* Recursive functions: Ackermann, a descent over brackets, a tree, mutual recursion. */
#include <labrys.h>
#include <stdlib.h>

static unsigned ackermann(unsigned m, unsigned n) {
  if (!m) return n + 1;
  if (!n) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
static int even(unsigned n);
static int odd(unsigned n) { return n ? even(n - 1) : 0; }
static int even(unsigned n) { return n ? odd(n - 1) : 1; }

struct node {
  unsigned char key;
  struct node *left, *right;
};
static struct node *insert(struct node *t, unsigned char key) {
  if (!t) {
    t = calloc(1, sizeof *t);
    t->key = key;
  } else if (key < t->key)
    t->left = insert(t->left, key);
  else if (key > t->key)
    t->right = insert(t->right, key);
  return t;
}
static int height(const struct node *t) {
  if (!t) return 0;
  int l = height(t->left), r = height(t->right);
  return 1 + (l > r ? l : r);
}

int main(void) {
  unsigned char b[8];
  labrys_symbolic(b, sizeof b, "b");
  if (b[0] < 3 && b[1] < 5 && ackermann(b[0], b[1]) == 9) labrys_target("ackermann");
  if (b[2] < 40 && b[2] > 30 && odd(b[2])) labrys_target("odd");
  struct node *tree = NULL;
  for (int i = 3; i < 8; i++) tree = insert(tree, b[i]);
  if (height(tree) == 5) labrys_target("list");
  if (height(tree) == 1) labrys_target("one");
  if (height(tree) == 3 && tree->left && tree->right && tree->left->right)
    labrys_target("balanced");
  return 0;
}
