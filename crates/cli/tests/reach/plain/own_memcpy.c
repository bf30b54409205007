#include <labrys.h>
#include <stdio.h>
static int g;
void *memcpy(void*d, const void*s, size_t n) {
  g = 7;
  char*a = d;
  const char*b = s;
  for (size_t i = 0;i<n;i++) ((volatile char*)a)[i] = b[i];
  return d;
}
struct s {
  char x[200];
};
struct s A, B;
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  A.x[0] = c;
  B = A;
  if (g == 7) labrys_target("g");
  return 0;
}
