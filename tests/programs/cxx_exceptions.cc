// Exceptions: thrown by own code and by the library, caught by type, with values.
#include <labrys.h>
#include <stdexcept>
#include <vector>

struct Bad {
  int code;
};

static int check(int x) {
  if (x < 0) throw Bad{x};
  if (x > 1000) throw std::runtime_error("large");
  return x * 2;
}

int main() {
  int x, y;
  unsigned i;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  labrys_symbolic(&i, sizeof i, "i");
  try {
    if (check(x) == 84) labrys_target("value");
    check(y);
    if (y == 5) labrys_target("both");
  } catch (const Bad &bad) {
    if (bad.code == -77) labrys_target("own");
  } catch (const std::exception &) {
    if (y == 4000) labrys_target("standard");
  }
  std::vector<int> v = {3, 1, 4, 1, 5, 9, 2, 6};
  try {
    if (v.at(i) == 9) labrys_target("at");
  } catch (const std::out_of_range &) {
    labrys_target("out-of-range");
  }
  return 0;
}
