// inputs: a7
#include <labrys.h>
#include <getopt.h>
static int flag;
static __attribute__((noinline)) int body(void) {
  char* v[] = {"x", "--big", "-k", "rest", "--name=seven", 0};
  int c = 5;
  struct option o[] = {{"big", 0, &flag, 9}, {"name", 1, &c, 3}, {0}};
  opterr = 0;
  int r;
  while ((r = getopt_long(5, v, "k:", o, 0)) != -1)
    if (r == 'k' && optarg[0] == 'r') labrys_target("argument");
  if (flag == 9) labrys_target("flag");
  if (c == 3) labrys_target("local");
  if (optarg && optarg[0] == 's') labrys_target("optarg");
  if (optind == 5) labrys_target("optind");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
