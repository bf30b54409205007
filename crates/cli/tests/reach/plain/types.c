// assumes: accesses of any type
#include <labrys.h>
static __attribute__((noinline)) int f(int*a, float*b) {
  *a = 1;
  *b = 0.0f;
  return *a;
}
int main(void) {
  union {
    int i;
    float f;
  } u;
  int r = f(&u.i, &u.f);
  if (r == 1) labrys_target("one");
  if (r == 0) labrys_target("zero");
  return 0;
}
