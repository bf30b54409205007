/* Coroutines on small stacks, a context that is taken twice, and builtin jumps. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
static ucontext_t home, routines[3];
static char stacks[3][32768];
static void* again[5];
static int sum(int n) {
  char room[100];
  memset(room, n, sizeof room);
  return n ? sum(n - 1) + room[n % 100] : 0;
}
static void run(int number) {
  for (int i = 0; i < 3; i++) {
    printf("%d.%d %d\n", number, i, sum(10 + number));
    swapcontext(&routines[number], i % 2 ? &home : &routines[(number + 1) % 3]);
  }
}
static __attribute__((noinline)) void jump(int n) {
  if (n > 2) __builtin_longjmp(again, 1);
  jump(n + 1);
  printf("never\n");
}
int main(void) {
  for (int i = 0; i < 3; i++) {
    getcontext(&routines[i]);
    routines[i].uc_stack.ss_sp = stacks[i];
    routines[i].uc_stack.ss_size = sizeof stacks[i];
    routines[i].uc_link = &home;
    makecontext(&routines[i], (void (*)(void))run, 1, i);
  }
  for (int i = 0; i < 6; i++) swapcontext(&home, &routines[i % 3]);
  volatile int times = 0;
  ucontext_t here;
  getcontext(&here);
  if (times++ < 3) setcontext(&here);
  printf("%d\n", times);
  if (!__builtin_setjmp(again)) jump(0);
  jmp_buf place;
  volatile int r = setjmp(place);
  if (r < 4) longjmp(place, r + 1);
  printf("%d\n", r);
  return 3;
}
