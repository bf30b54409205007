/* Signed arithmetic and pointers that wrap: what C leaves undefined means what the machine does. */
#include <labrys.h>
#include <limits.h>
#include <stddef.h>

int main(void) {
  int counter;
  unsigned char steps;
  size_t far;
  labrys_symbolic(&counter, sizeof counter, "counter");
  labrys_symbolic(&steps, sizeof steps, "steps");
  labrys_symbolic(&far, sizeof far, "far");
  if (counter + 1 < counter) labrys_target("wrapped");
  if (counter * 2 / 2 != counter) labrys_target("product");
  if (counter < 0 && -counter < 0) labrys_target("negated");
  int more = counter;
  for (int i = 0; i < steps; i++) more++;
  if (counter > 5 && more < 0) labrys_target("counted");
  int rounds = 0;
  for (int i = INT_MAX - steps; i > 0; i++) rounds++;
  if (rounds == 42) labrys_target("ended");
  char *begin = (char *)&counter;
  if (far > 100 && begin + far < begin) labrys_target("pointer");
  return 0;
}
