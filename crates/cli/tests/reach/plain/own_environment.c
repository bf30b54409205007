// each: alone
// proved: control
// inputs: a7
#include <labrys.h>
extern char **environ;
static int never;
static char entry[] = "LABRYS_A=1";
static __attribute__((noinline)) int body(int argc, char **argv) {
  putenv(entry);
  char *v = getenv("LABRYS_A");
  v[0] = '9';
  if (entry[9] == '9') labrys_target("through");
  entry[9] = '7';
  if (*getenv("LABRYS_A") == '7') labrys_target("seen");
  setenv("LABRYS_B", "x", 1);
  char *first = getenv("LABRYS_B");
  int one = first && *first == 'x';
  setenv("LABRYS_B", "y", 1);
  char *second = getenv("LABRYS_B");
  if (one && second && *second == 'y') labrys_target("changed");
  unsetenv("LABRYS_B");
  if (one && !getenv("LABRYS_B")) labrys_target("gone");
  char *mine[] = {"Q=5", 0};
  environ = mine;
  char *q = getenv("Q");
  if (q && *q == '5' && q == mine[0] + 2) labrys_target("replaced");
  clearenv();
  if (!environ || !*environ) labrys_target("cleared");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
