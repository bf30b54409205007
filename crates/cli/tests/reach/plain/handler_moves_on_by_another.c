#define _GNU_SOURCE
#include <labrys.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
static void step(int by, ucontext_t *c) {
  c->uc_mcontext.gregs[REG_RIP] += by;
}
static void (*volatile move)(int, ucontext_t *) = step;
static void h(int s, siginfo_t*i, void*u) {
  move(2, u);
}
int main(void) {
  struct sigaction sa;
  memset(&sa, 0, sizeof sa);
  sa.sa_sigaction = h;
  sa.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &sa, 0);
  volatile int z = 1;
  if (z == 1) {
    __builtin_trap();
    labrys_target("skip");
  }
  return 0;
}
