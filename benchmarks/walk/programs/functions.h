/* Makes a program of a list of functions: `which` chooses one. With WITNESS, a program that
 * checks that each solution is one. */
#include <math.h>
#include <stdio.h>
#ifdef WITNESS
int main(void) {
  int wrong = 0;
#define FUNCTION(number, condition, solution)                                      \
  {                                                                                \
    double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0;   \
    int k = 0, l = 0, m = 0;                                                       \
    (void)(solution);                                                              \
    (void)(a + b + c + d + e + f + g + h + i + j + k + l + m);                     \
    if (!(condition)) printf("%s: %d has no solution\n", __FILE__, number), wrong = 1; \
  }
#include LIST
  return wrong;
}
#else
#include <labrys.h>
int main(void) {
  unsigned char which;
  double a, b, c, d, e, f, g, h, i, j;
  int k, l, m;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  labrys_symbolic(&c, sizeof c, "c");
  labrys_symbolic(&d, sizeof d, "d");
  labrys_symbolic(&e, sizeof e, "e");
  labrys_symbolic(&f, sizeof f, "f");
  labrys_symbolic(&g, sizeof g, "g");
  labrys_symbolic(&h, sizeof h, "h");
  labrys_symbolic(&i, sizeof i, "i");
  labrys_symbolic(&j, sizeof j, "j");
  labrys_symbolic(&k, sizeof k, "k");
  labrys_symbolic(&l, sizeof l, "l");
  labrys_symbolic(&m, sizeof m, "m");
  switch (which) {
#define FUNCTION(number, condition, solution)  \
  case number:                                 \
    if (condition) labrys_target(#number);     \
    break;
#include LIST
  }
  return 0;
}
#endif
