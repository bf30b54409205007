// each: alone
// proved: control
// inputs: a7
#include <labrys.h>
#include <stdio.h>
static int never, g = 1;
static __attribute__((noinline)) int body(int argc, char **argv) {
  char buffer[40];
  int x = 1;
  int *q = 0;
  snprintf(buffer, sizeof buffer, "%p", (void *)&x);
  sscanf(buffer, "%p", (void **)&q);
  *q = 5;
  if (x == 5) labrys_target("local");
  sprintf(buffer, "%lu", (unsigned long)&g);
  *(int *)strtoul(buffer, 0, 10) = 7;
  if (g == 7) labrys_target("global");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
