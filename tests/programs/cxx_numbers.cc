// Numbers from standard input by operators of iostream.
#include <iostream>
#include <labrys.h>

int main() {
  int n;
  double x;
  if (!(std::cin >> n)) {
    if (!std::cin.eof()) labrys_target("no-number");
    if (n == 2147483647) labrys_target("too-large");
    return 1;
  }
  if (n == 4711) labrys_target("number");
  if (n < -100000) labrys_target("negative");
  if (std::cin >> x && x == -0.125) labrys_target("fraction");
  return 0;
}
