/* A harness for CBMC, unchanged: its functions are not even declared. */
#include <labrys.h>

int nondet_int();
unsigned char nondet_uchar(void);
unsigned nondet_count();
_Bool nondet_bool();
double nondet_double();

int main() {
  int x = nondet_int(), y = nondet_int();
  __CPROVER_assume(x > 0 && x < 100);
  __CPROVER_assume(y == x * 3);
  if (y == 150) labrys_target("three-times");
  if (y == 151) labrys_target("no-multiple");
  if (nondet_uchar() == 250) labrys_target("byte");
  if (nondet_count() == 3000000000u && nondet_bool()) labrys_target("count");
  if (nondet_double() == -2.5) labrys_target("double");
  __CPROVER_assert(x != 42, "x is not 42");
  return 0;
}
/* never: no-multiple
 * failures: failure */
