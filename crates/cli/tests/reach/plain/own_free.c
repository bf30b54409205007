#include <labrys.h>
#include <stdio.h>
#include <string.h>
static int g;
void free(void*p) {
  g = 7;
  labrys_target("free");
}
int main(void) {
  char*l = 0;
  size_t n = 0;
  FILE*f = fopen("/dev/null", "r");
  if (f) fclose(f);
  if (g == 7) labrys_target("g");
  return 0;
}
