/* Decisions on what a library function of which nothing is known made of the input: no condition
 * tells how to reach them, but every eighth and every second string does.
 * cover: --fuzz */
#define _DEFAULT_SOURCE
#include <labrys.h>
#include <stdlib.h>

int main(void) {
  char digits[5] = "";
  labrys_symbolic(digits, 4, "digits");
  long number = a64l(digits);
  if (number % 8 != 5) return 0;
  labrys_target("every eighth");
  if (number / 64 % 16 == 9) labrys_target("and every sixteenth of those");
  return 0;
}
