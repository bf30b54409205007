// assumes: no check of undefined behaviour
// each: alone
#include <labrys.h>
static __attribute__((noinline)) void behind(int n) {
  if (n == 1) labrys_target("called_behind");
}
int main(int argc, char **argv) {
  int array[10];
  int *before = array - 5;
  before[7] = 3;
  if (array[2] == 3) labrys_target("behind");
  behind(argc);
  return 0;
}
