#include <labrys.h>
#include <setjmp.h>
typedef int (*sj)(void*) ;
extern int mysetjmp(void*) __attribute__((returns_twice)) __asm__("_setjmp");
extern int foo(void*) __asm__("_setjmp") ;
static jmp_buf b;
static int g;
int main(void) {
  volatile int n = 0;
  int r = mysetjmp(b);
  if (r == 3) labrys_target("three");
  if (n == 1) labrys_target("n1");
  n = 1;
  if (r == 0) longjmp(b, 3);
  return 0;
}
