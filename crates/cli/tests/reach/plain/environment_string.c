// inputs: a7
#include <labrys.h>
static char e[] = "KEY=a";
extern char** environ;
static __attribute__((noinline)) int body(void) {
  putenv(e);
  e[4] = 'b';
  char* p = getenv("KEY");
  if (p && *p == 'b') labrys_target("aliased");
  if (p) p[0] = 'c';
  if (e[4] == 'c') labrys_target("back");
  static char* own[] = {"A=1", 0};
  environ = own;
  if (getenv("A") && getenv("A")[0] == '1') labrys_target("own");
  if (!getenv("KEY")) labrys_target("gone");
  setenv("B", "2", 1);
  if (environ != own) labrys_target("moved");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
