/* Accesses through pointers that leave variables, large objects and scopes. */
#include <alloca.h>
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

static int large[50000];

__attribute__((noinline)) static int get(const int *p, unsigned i) { return p[i]; }
__attribute__((noinline)) static void put(char *p, unsigned i) { p[i] = 1; }
__attribute__((noinline)) static void keep(int **to, int *p) { *to = p; }

int main(void) {
  unsigned char which;
  unsigned i;
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&i, sizeof i, "i");
  int one = 5, sum = 0, *kept = &one;
  switch (which) {
    case 1:
      if (i < 2) sum = get(&one, i);
      break;
    case 2:
      if (i <= 50000) sum = get(large, i);
      break;
    case 3: {
      char *block = calloc(100000, 1);
      if (block && i <= 100000) put(block, i), sum = block[7];
      break;
    }
    case 4:
      if (i > 0 && i < 50) {
        char *some = alloca(i);
        memset(some, 0, i);
        unsigned at;
        labrys_symbolic(&at, sizeof at, "at");
        if (at <= 50) put(some, at), sum = some[0];
      }
      break;
    case 5:
      if (i == 1234) {
        int local = i;
        keep(&kept, &local);
      }
      sum = *kept;
  }
  return sum == 3;
}
/* failures: stack-buffer-overflow global-buffer-overflow heap-buffer-overflow */
/* failures: dynamic-stack-buffer-overflow stack-use-after-scope */
