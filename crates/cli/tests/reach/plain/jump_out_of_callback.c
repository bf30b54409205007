#include <labrys.h>
#include <stdlib.h>
#include <setjmp.h>
static jmp_buf b;
static int g;
static int cmp(const void*x, const void*y) {
  g = 1;
  longjmp(b, 2);
}
int main(void) {
  int a[3] = {3, 2, 1};
  if (setjmp(b) == 0) qsort(a, 3, 4, cmp);
  else {
    if (g == 1) labrys_target("g");
  }
  return 0;
}
