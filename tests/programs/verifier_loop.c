/* Values asked for in a loop, an error function that nobody defines, functions that nobody
 * declares, results without a type. */
#include <labrys.h>

minimum(a, b) { return a < b ? a : b; }

int main() {
  int last = -1, rises = 0, i;
  for (i = 0; i < 12; i++) {
    int x = __VERIFIER_nondet_int();
    if (x < 0) break;
    if (x > last) rises++;
    last = x;
  }
  if (rises == 5 && i == 7) labrys_target("five-rises");
  if (i == 12) labrys_target("to-the-end");
  if (minimum(last, 30) == 30 && rises == 1) reach_error();
  return 0;
}
/* failures: reach_error */
