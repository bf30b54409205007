// proved: control
// inputs: a7
// each: alone
#include <labrys.h>
#include <signal.h>
static int never;
static int a, b, c, d, e, f, g;
static void small(unsigned char n) { a = 1; }
static void wide(long n) { b = 1; }
static void pointer(void *p) { c = 1; }
static void four(int n, void *x, void *y, void *z) { d = 1; }
static void real(double x) { e = 1; }
static void later(void *p) { f = 1; }
static void by_table(void *p) { g = 1; }
static void install(int n, void *handler) { signal(n, handler); }
static void *chosen(int n) { return n ? (void *)later : (void *)SIG_IGN; }
static struct { char *name; void *handler; } table[] = {{"g", by_table}};
static void uncalled(void *p) { never = 1; }
static void *volatile kept = uncalled;
static __attribute__((noinline)) int body(int argc, char **argv) {
  signal(SIGUSR1, (void *)small);
  a = 0;
  raise(SIGUSR1);
  if (a) labrys_target("small");
  signal(SIGUSR1, (void *)wide);
  b = 0;
  raise(SIGUSR1);
  if (b) labrys_target("wide");
  struct sigaction action = {.sa_handler = (void *)pointer};
  sigaction(SIGUSR1, &action, 0);
  c = 0;
  raise(SIGUSR1);
  if (c) labrys_target("pointer");
  install(SIGUSR1, four);
  d = 0;
  raise(SIGUSR1);
  if (d) labrys_target("four");
  struct sigaction other;
  memset(&other, 0, sizeof other);
  other.sa_handler = (void *)real;
  sigaction(SIGUSR1, &other, 0);
  e = 0;
  raise(SIGUSR1);
  if (e) labrys_target("real");
  install(SIGUSR1, chosen(argc));
  f = 0;
  raise(SIGUSR1);
  if (f) labrys_target("later");
  signal(SIGUSR1, table[argc - 1].handler);
  g = 0;
  raise(SIGUSR1);
  if (g) labrys_target("by_table");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
