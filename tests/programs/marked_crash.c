/* A function that is marked as pure and crashes on some arguments: on the way of the search to
 * what is asked of it. A call without a value is no solution, and the others still have theirs.
 * The goal `never` is where the crashes are: a run that got there would crash before it. */
/* never: crashed
 * failures: SIGABRT */
#include <labrys.h>
#include <stdlib.h>

/* Grows with x, and has a hole from 20 to 60 thousand. */
labrys_pure static int price(int x) {
  if (x >= 20000 && x < 60000) abort();
  return x < 0 ? -1 : x / 3 * 2 + 7;
}

int main(void) {
  unsigned char which;
  int n;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&n, sizeof n, "n");
  if (n >= 20000 && n < 60000) {
    if (which == 1) {
      price(n);
      labrys_target("crashed");
    }
    return 1;
  }
  if (which == 2 && price(n) == 13339) labrys_target("before the hole");
  if (which == 3 && price(n) == 40009) labrys_target("behind the hole");
  return 0;
}
