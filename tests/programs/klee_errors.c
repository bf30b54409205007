/* What KLEE harnesses say of failures. */
#include <klee/klee.h>
#include <labrys.h>

int main(void) {
  int a = klee_int("a"), b = klee_int("b");
  if (a == 1234) {
    labrys_target("quiet");
    klee_silent_exit(1);
  }
  if (a == 77) klee_report_error(__FILE__, __LINE__, "bad-value", "user.err");
  klee_assert(b != 4242);
  return 0;
}
/* failures: bad-value assertion */
