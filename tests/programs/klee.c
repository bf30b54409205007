/* A harness for KLEE, unchanged. */
#include <klee/klee.h>
#include <labrys.h>
#include <string.h>

struct packet {
  unsigned char kind, length;
  char body[6];
};

static int parse(const struct packet *p) {
  if (p->kind == 7 && p->length == 3) {
    if (!memcmp(p->body, "abc", 3)) return 2;
    return 1;
  }
  return 0;
}

int main(void) {
  struct packet p;
  int n, k = klee_int("k");
  klee_make_symbolic(&p, sizeof p, "packet");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n > 10);
  klee_prefer_cex(&n, n < 100);
  if (n < 5) labrys_target("assumed-away");
  if (parse(&p) == 2) labrys_target("body");
  if (klee_range(3, 9, "range") * 2 == 16) labrys_target("in-range");
  if (klee_choose(4) == 3) labrys_target("chosen");
  if (k == n + 1) labrys_target("related");
  return 0;
}
/* never: assumed-away */
