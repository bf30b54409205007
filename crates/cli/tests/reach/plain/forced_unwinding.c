// inputs: a7
// each: alone
// options: -fexceptions
#include <labrys.h>
#include <pthread.h>
static int n = 1;
static void clean(int *p) { if (*p == 5) labrys_target("v5"); if (*p == 6) labrys_target("v6"); if (n == 2) labrys_target("n2"); n = 9; }
static __attribute__((noinline)) void leave(int *p) { n = 2; *p = 5; if (n == 2) pthread_exit(0); *p = 6; n = 3; }
static __attribute__((noinline)) int outer(void) { __attribute__((cleanup(clean))) int v = 1; leave(&v); return v; }
static void at(void) { if (n == 9) labrys_target("n9"); }
static __attribute__((noinline)) int body(int argc, char **argv) { atexit(at); outer(); return 0; }
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
