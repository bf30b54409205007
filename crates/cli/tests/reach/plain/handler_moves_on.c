#define _GNU_SOURCE
#include <labrys.h>
#include <signal.h>
#include <ucontext.h>
static volatile int x;
static void h(int s, siginfo_t*i, void*u) {
  ucontext_t*c = u;
  c->uc_mcontext.gregs[REG_RIP] += 2;
  c->uc_mcontext.gregs[REG_RAX] = 5;
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
