// Standard input through iostream: lines, words, single characters and blocks.
// failures: index-out-of-bounds
#include <iostream>
#include <labrys.h>
#include <string>

static void characters() {
  char c, block[4];
  std::cin.ignore(10, '/');
  if (std::cin.get(c) && c == '\t' && std::cin.peek() == '#') labrys_target("peek");
  std::cin.read(block, sizeof block);
  if (std::cin.gcount() == 3) labrys_target("short-block");
  if (std::cin.gcount() == 4 && block[3] == 'Q') labrys_target("block");
}

int main() {
  std::string line, word;
  if (!std::getline(std::cin, line)) {
    labrys_target("nothing");
    return 1;
  }
  if (line == "a b" && std::cin >> word && word == "<>") {
    labrys_target("line");
    char small[4] = "";
    volatile int at = std::cin.peek() == '\n' ? 4 : 3;
    small[at] = 'x';
    return small[0];
  }
  if (line == "chr") characters();
  return 0;
}
