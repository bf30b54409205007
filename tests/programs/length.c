/* Goals on the length of the input alone, and on its length and contents together. */
#include <labrys.h>
#include <stdio.h>

int main(void) {
  int c;
  unsigned n = 0, sum = 0;
  while ((c = getchar()) != EOF && n < 200) {
    n++;
    sum += (unsigned)c;
  }
  if (n == 0) labrys_target("empty");
  if (n == 1) labrys_target("one");
  if (n == 64) labrys_target("sixty-four");
  if (n == 10 && sum == 1000) labrys_target("ten-and-sum");
  return 0;
}
