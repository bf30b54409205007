#include <labrys.h>
static int g;
static char pool[1 << 20];
static size_t at;
void *malloc(size_t n) {
  g = 7;
  void*p = pool+at;
  at += (n+15)&~15ul;
  return p;
}
void free(void*p) {
  labrys_target("free");
}
void *calloc(size_t a, size_t b) {
  return malloc(a*b);
}
void *realloc(void*p, size_t n) {
  void*q = malloc(n);
  return q;
}
#include <string.h>
#include <stdio.h>
int main(void) {
  char*s = strdup("ab");
  if (g == 7) labrys_target("g");
  return 0;
}
