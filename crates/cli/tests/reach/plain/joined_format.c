#include <labrys.h>
#include <stdio.h>
int main(int argc, char**argv) {
  int n = 5;
  char b[20];
  char fm[10];
  strcpy(fm, "%");
  strcat(fm, argc == 1?"n":"d");
  sprintf(b, fm, &n);
  if (n == 0) labrys_target("n0");
  return 0;
}
