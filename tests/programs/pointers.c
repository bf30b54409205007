/* Calls through pointers: in tables, structures, as arguments. */
#include <labrys.h>

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int max(int a, int b) { return a > b ? a : b; }
struct operation {
  char name;
  int (*apply)(int, int);
};
static const struct operation OPERATIONS[] = {{'+', add}, {'-', sub}, {'*', mul}, {'m', max}};

static int fold(int (*f)(int, int), const unsigned char *values, int n) {
  int r = values[0];
  for (int i = 1; i < n; i++) r = f(r, values[i]);
  return r;
}

int main(void) {
  unsigned char name, index, values[4];
  labrys_symbolic(&name, 1, "name");
  labrys_symbolic(&index, 1, "index");
  labrys_symbolic(values, sizeof values, "values");
  for (int i = 0; i < 4; i++)
    if (OPERATIONS[i].name == name) {
      int r = fold(OPERATIONS[i].apply, values, 4);
      if (i == 0 && r == 999) labrys_target("sum");
      if (i == 1 && r == -500) labrys_target("difference");
      if (i == 2 && r == 5040) labrys_target("product");
      if (i == 3 && r == 77) labrys_target("maximum");
    }
  int (*const table[4])(int, int) = {add, sub, mul, max};
  if (index < 4 && table[index](values[0], values[1]) == 221 && index == 2) labrys_target("indexed");
  return 0;
}
