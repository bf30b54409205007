// Standard input through iostream: the library's own code, whose values are concrete.
#include <iostream>
#include <labrys.h>
#include <string>

int main() {
  std::string word;
  if (!(std::cin >> word)) {
    labrys_target("nothing");
    return 1;
  }
  if (word.size() > 3) labrys_target("word");
  return 0;
}
