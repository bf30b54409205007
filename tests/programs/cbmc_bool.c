/* CBMC's functions, declared with its own type of truth values. */
#include <labrys.h>

int nondet_int(void);
_Bool nondet_bool(void);
void __CPROVER_assume(_Bool condition);
void __CPROVER_assert(_Bool condition, const char *text);

int main(void) {
  int x = nondet_int();
  __CPROVER_assume(x >= 0 && x < 1000);
  if (x == -1) labrys_target("outside");
  if (nondet_bool()) x = -x;
  if (x == -999) labrys_target("negative");
  __CPROVER_assert(x * x != 123 * 123, "no square");
  return 0;
}
/* never: outside
 * failures: failure */
