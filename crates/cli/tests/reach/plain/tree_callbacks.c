#include <labrys.h>
#include <search.h>
#include <stdlib.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
static int g;
static int cmp(const void*a, const void*b) {
  g++;
  labrys_target("cmp");
  return *(int*)a-*(int*)b;
}
static void act(const void*n, VISIT v, int d) {
  labrys_target("act");
}
static int nf(const char*p, const struct stat*s, int f) {
  labrys_target("ftw");
  return 1;
}
static int ge(const char*p, int e) {
  labrys_target("globerr");
  return 0;
}
int main(void) {
  int a = 1, b = 2;
  void*r = 0;
  tsearch(&a, &r, cmp);
  tsearch(&b, &r, cmp);
  twalk(r, act);
  ftw("/", nf, 2);
  glob_t gl;
  glob("/etc/*/*", 0, ge, &gl);
  if (g) labrys_target("g");
  return 0;
}
