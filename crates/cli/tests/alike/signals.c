/* Handlers, masks, queued values, a stack of their own, jumps out of them, timers, and the end by a
 * signal. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t count;
static int value;
static sigjmp_buf back;
static void add(int number) {
  count += number == SIGUSR1 ? 1 : 100;
}
static void take(int number, siginfo_t* info, void* context) {
  value = info->si_value.sival_int;
}
static void leave(int number) {
  siglongjmp(back, number);
}
static int deep(int n) {
  volatile char room[200];
  memset((char*)room, n, sizeof room);
  return n ? deep(n - 1) + room[n] : 0;
}
static void use_stack(int number) {
  count += deep(20) > 0;
}
int main(void) {
  signal(SIGUSR1, add);
  raise(SIGUSR1);
  kill(getpid(), SIGUSR1);
  printf("%d\n", (int)count);
  struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR2, &action, 0);
  union sigval sent = {42};
  sigqueue(getpid(), SIGUSR2, sent);
  printf("%d\n", value);
  signal(SIGSEGV, leave);
  int jumped = sigsetjmp(back, 1);
  if (!jumped) *(volatile int*)16 = 1;
  printf("%d\n", jumped == SIGSEGV);
  static char other[65536];
  stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
  sigaltstack(&stack, 0);
  struct sigaction apart = {.sa_handler = use_stack, .sa_flags = SA_ONSTACK};
  sigaction(SIGHUP, &apart, 0);
  raise(SIGHUP);
  printf("%d\n", (int)count);
  signal(SIGALRM, add);
  struct itimerval soon = {{0, 0}, {0, 20000}};
  setitimer(ITIMER_REAL, &soon, 0);
  while (count < 100) pause();
  printf("%d\n", (int)count);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, 0);
  raise(SIGUSR1);
  int got = 0;
  sigwait(&set, &got);
  printf("%d %d\n", got == SIGUSR1, (int)count);
  fflush(stdout);
  signal(SIGABRT, SIG_DFL);
  abort();
}
