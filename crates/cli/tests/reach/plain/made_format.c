#include <labrys.h>
#include <stdio.h>
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  char f[4] = {'%', 'n', 0, 0};
  f[1] = (char)('n'+c);
  int n = 0;
  FILE*o = fopen("/dev/null", "w");
  fprintf(o, "abc");
  fprintf(o, f, &n);
  char b[20];
  n = 9;
  snprintf(b, 20, f, &n);
  if (n == 0) labrys_target("n0");
  return 0;
}
