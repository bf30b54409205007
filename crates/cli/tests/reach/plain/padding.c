// inputs: a7
#include <labrys.h>
struct s {
  char c;
  int i;
};
static __attribute__((noinline)) int body(void) {
  struct s a, b;
  memset(&a, 0, sizeof a);
  memset(&b, 0xff, sizeof b);
  a.c = b.c = 1;
  a.i = b.i = 2;
  if (memcmp(&a, &b, sizeof a)) labrys_target("differ");
  struct s c = a;
  if (!memcmp(&a, &c, sizeof a)) labrys_target("same");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
