/* Two parts that each fit and together do not: no run does something new. */
#include <labrys.h>

__attribute__((noinline)) static int join(char *out, const char *a, int n, const char *b, int m) {
  int used = 0;
  for (int i = 0; i < n; i++) out[used++] = a[i];
  for (int i = 0; i < m; i++) out[used++] = b[i];
  return used;
}

int main(void) {
  char a[8], b[8], out[12];
  unsigned char n, m;
  labrys_symbolic(a, sizeof a, "a");
  labrys_symbolic(b, sizeof b, "b");
  labrys_symbolic(&n, sizeof n, "n");
  labrys_symbolic(&m, sizeof m, "m");
  if (n > 7 || m > 7) return 0;
  return join(out, a, n, b, m) + out[2];
}
/* failures: stack-buffer-overflow */
