#include <labrys.h>
#include <ucontext.h>
static int g;
int main(void) {
  ucontext_t c;
  volatile int n = 0;
  getcontext(&c);
  if (n == 1) labrys_target("again");
  n++;
  if (n<2) setcontext(&c);
  return 0;
}
