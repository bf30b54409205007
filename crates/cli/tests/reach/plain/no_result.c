// options: -Wno-everything
// inputs: 0100 0001
// each: alone
#include <labrys.h>
#include <stdint.h>
static int number(double d) { return (int)d; }
int main(void) {
  unsigned char in[2];
  labrys_symbolic(in, sizeof in, "in");
  if (in[0] == 1) labrys_target("before");
  if ((long)(float)INT64_MAX != INT64_MAX) labrys_target("folded_by_clang");
  int chosen = in[1] ? (int)1e30 : 5;
  if (chosen != 5) labrys_target("chosen");
  float large = 1e30f;
  int converted = (int)large;
  if (in[1] == 0) converted = 5;
  if (converted == INT32_MIN) labrys_target("folded_by_a_pass");
  if (number(1e30) < 0) labrys_target("in_a_function");
  if (in[1] == 1) labrys_target("behind");
}
