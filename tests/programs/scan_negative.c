/* A negative number by fscanf, with one digit behind the point or more. */
#include <labrys.h>
#include <stdio.h>

int main(void) {
  double x;
  if (fscanf(stdin, "%le", &x) == 1 && x == -0.75) labrys_target("negative");
  return 0;
}
