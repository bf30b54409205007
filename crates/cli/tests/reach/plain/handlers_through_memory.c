// inputs: a7
// each: alone
#include <labrys.h>
#include <signal.h>
static int a, b, c;
static void *slots[4];
static void put(void **at, void *handler) { *at = handler; }
static void fill(struct sigaction *action, void *handler) {
  memset(action, 0, sizeof *action);
  action->sa_handler = handler;
}
static void in_slot(void *p) { a = 1; }
static void in_heap(char *p) { b = 1; }
static void as_argument(float f) { c = 1; }
static void install(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  signal(n, __builtin_va_arg(list, void *));
}
static __attribute__((noinline)) int body(int argc, char **argv) {
  put(&slots[2], in_slot);
  signal(SIGUSR1, slots[2]);
  raise(SIGUSR1);
  if (a) labrys_target("slot");
  struct sigaction *action = malloc(sizeof *action);
  fill(action, in_heap);
  sigaction(SIGUSR1, action, 0);
  raise(SIGUSR1);
  if (b) labrys_target("heap");
  install(SIGUSR1, as_argument);
  raise(SIGUSR1);
  if (c) labrys_target("argument");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
