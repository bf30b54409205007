/* Recursion of 50,000 calls, which fits into 8 MiB. */
#include <stdio.h>
#include <stdlib.h>
static int f(int n) {
  if (n == 0) return 0;
  int r = f(n - 1);
  return r + (n & 1);
}
static int g(int n, int* p) {
  int x[8];
  x[n & 7] = *p;
  if (n == 0) return x[0];
  return g(n - 1, x) + x[1 + (n & 3)];
}
int main(int argc, char** argv) {
  int z = 0;
  int n = argc > 1 ? atoi(argv[1]) : 50000;
  printf("%d\n", f(n));
  z = g(n, &z);
  puts("done");
  return 0;
}
