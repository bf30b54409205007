/* Functions chosen by input: from tables, structures, by name. */
#include <labrys.h>
#include <string.h>

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }
static int shift(int a, int b) { return a << (b & 7); }
static int (*const operations[])(int, int) = {add, subtract, multiply, shift};

static const struct command {
  char name[8];
  int (*run)(int, int);
} commands[] = {{"add", add}, {"sub", subtract}, {"mul", multiply}, {"shl", shift}};

static int (*hook)(int, int) = add;

int main(void) {
  unsigned char i, a, b;
  char name[8];
  labrys_symbolic(&i, sizeof i, "i");
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  labrys_symbolic(name, sizeof name, "name");
  name[7] = 0;
  if (operations[i & 3](a, b) == 1088) labrys_target("table");
  for (int k = 0; k < 4; k++)
    if (!strcmp(name, commands[k].name) && commands[k].run(a, b) == -250) labrys_target("named");
  if (i > 250) hook = operations[i >= 252 ? i - 252 : 0];
  if (hook(3, 5) == 96) labrys_target("hook");
  return 0;
}
