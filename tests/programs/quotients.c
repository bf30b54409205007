/* The least number divided by -1, which the processor refuses as it does a division by 0.
 * failures: SIGFPE division-by-zero */
#include <labrys.h>
#include <stdio.h>

int main(void) {
  int numbers[2];
  if (fread(numbers, sizeof numbers, 1, stdin) != 1) return 0;
  printf("%d\n", numbers[0] / numbers[1]);
  labrys_target("divided");
  long wide = numbers[1];
  if (numbers[0] != 77) return 0;
  printf("%ld\n", wide % numbers[0]);
  if (wide % 5 == -4) labrys_target("remainder");
  return 0;
}
