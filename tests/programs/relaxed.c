/* What a value was fixed to for another reason is given up when nothing else is left. */
#include <labrys.h>
#include <stdlib.h>

int main(void) {
  unsigned n, k;
  labrys_symbolic(&n, sizeof n, "n");
  labrys_symbolic(&k, sizeof k, "k");
  if (n == 0 || n > 900) return 1;
  int *numbers = calloc(n, sizeof *numbers);
  if (n == 300) labrys_target("three-hundred");
  numbers[n - 1] = 77;
  numbers[n / 2] = 99;
  if (k < n && numbers[k] == 77 && k > 3) labrys_target("last");
  if (n > 500 && k == n / 2 && numbers[k] == 99) labrys_target("middle");
  free(numbers);
  return 0;
}
