#include <labrys.h>
#include <ucontext.h>
static ucontext_t m, c;
static int g;
static char st[65536];
static void f(void) {
  g = 5;
  labrys_target("f");
  swapcontext(&c, &m);
  labrys_target("f2");
}
int main(void) {
  getcontext(&c);
  c.uc_stack.ss_sp = st;
  c.uc_stack.ss_size = sizeof st;
  c.uc_link = &m;
  makecontext(&c, f, 0);
  swapcontext(&m, &c);
  if (g == 5) labrys_target("g");
  g = 6;
  swapcontext(&m, &c);
  return 0;
}
