// inputs: 00 01 02 03
// proved: shown_only never_installed
// What is called through a variable or a table is one of what is stored there, whoever calls.
#include <labrys.h>
#include <stdint.h>

typedef int Action(int);
static int first(int a) { labrys_target("first"); return a + 1; }
static int second(int a) { labrys_target("second"); return a - 1; }
static int shown_only(int a) { labrys_target("shown_only"); return 2 * a; }
static int never_installed(int a) { labrys_target("never_installed"); return a; }

static Action *hook = first;
static Action *const table[] = {first, second, first};
static Action *spare = never_installed;

static __attribute__((noinline)) void install(Action *action) { hook = action; }

static __attribute__((noinline)) int all(unsigned char b) {
  int sum = 0;
  for (int i = 0; i < b; i++) sum += table[(i + b) % 3](sum);
  while (sum > 3) sum = hook(sum) - 2;
  return sum;
}

int main(void) {
  unsigned char b = 0;
  labrys_symbolic(&b, 1, "b");
  if (b > 1) install(second);
  volatile uintptr_t shown = (uintptr_t)shown_only + (uintptr_t)spare;
  return all(b);
}
