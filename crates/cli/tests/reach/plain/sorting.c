// proved: control
// inputs: a7
#include <labrys.h>
#include <search.h>
static int never, calls, seen;
static int *where;
static int order(const void *a, const void *b) { calls++; return *(const int *)a - *(const int *)b; }
static int odd(const void *a, const void *b) { seen = *(const int *)b; return 0; }
static int writes(const void *a, const void *b) { *where = 9; return *(const int *)a < *(const int *)b ? 1 : -1; }
static int passed(const void *a, const void *b, void *p) { ++*(int *)p; return *(const int *)b - *(const int *)a; }
static int pointers(const void *a, const void *b) { return **(int *const *)a - **(int *const *)b; }
static int leaves(const void *a, const void *b) { labrys_target("left"); _exit(0); }
static __attribute__((noinline)) int body(int argc, char **argv) {
  int v[] = {3, 1, 2}, key = 2, x = 5, y = 1;
  qsort(v, 3, sizeof *v, order);
  if (v[0] == 1 && v[2] == 3) labrys_target("sorted");
  if (calls == 2 || calls == 3) labrys_target("calls");
  calls = 0;
  qsort(v, 1, sizeof *v, order);
  if (!calls) labrys_target("one");
  int *at = bsearch(&key, v, 3, sizeof *v, order);
  *at = 7;
  if (v[1] == 7) labrys_target("found");
  bsearch(&key, v, 3, sizeof *v, odd);
  if (seen == 7) labrys_target("middle");
  where = &x;
  qsort(v, 3, sizeof *v, writes);
  if (x == 9 && v[0] == 7) labrys_target("wrote");
  int count = 0;
  qsort_r(v, 3, sizeof *v, passed, &count);
  if (count > 1) labrys_target("passed");
  int *p[] = {&x, &y};
  qsort(p, 2, sizeof *p, pointers);
  *p[0] = 77;
  if (y == 77) labrys_target("pointers");
  size_t n = 3;
  int *l = lfind(&key, v, &n, sizeof *v, order);
  if (!l && n == 3) labrys_target("lfind");
  int room[4] = {1, 2, 3}, four = 4;
  n = 3;
  lsearch(&four, room, &n, sizeof *room, order);
  if (n == 4 && room[3] == 4) labrys_target("lsearch");
  hcreate(10);
  hsearch((ENTRY){"k", &x}, ENTER);
  ENTRY *e = hsearch((ENTRY){"k", 0}, FIND);
  *(int *)e->data = 6;
  if (x == 6) labrys_target("hsearch");
  if (never) labrys_target("control");
  qsort(v, 3, sizeof *v, leaves);
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
