// proved: control
// inputs: a7
#include <labrys.h>
static int never;
static const char *volatile one = "labrys", *volatile two = "labrys", *volatile three = "xlabrys";
static __attribute__((noinline)) const char *give(void) { return "same text"; }
static __attribute__((noinline)) const char *take(void) { return "same text"; }
static __attribute__((noinline)) int body(int argc, char **argv) {
  if (one == two) labrys_target("merged");
  if (one == three + 1) labrys_target("tail");
  if (give() == take()) labrys_target("functions");
  const char *volatile p = "abc";
  if (p == "abc") labrys_target("here");
  if (argv[0] + strlen(argv[0]) + 1 == environ[0]) labrys_target("behind_arguments");
  if ((char **)argv + argc + 1 == environ) labrys_target("environment");
  if (argv[argc] == 0) labrys_target("null");
  argv[0][0] = '#';
  if (argv[0][0] == '#') labrys_target("writable");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
