// A file through std::ifstream and std::getline, its lines through std::istringstream.
// cover: -- @@
#include <fstream>
#include <labrys.h>
#include <sstream>
#include <string>
#include <vector>

int main(int, char **argv) {
  std::ifstream in(argv[1]);
  std::vector<std::string> lines;
  std::string line, all;
  int total = 0;
  while (std::getline(in, line)) {
    lines.push_back(line);
    all += line;
    std::istringstream fields(line);
    std::string key;
    char sign;
    int value;
    if (fields >> key >> sign >> value) {
      if (sign == '=' && key == "max") labrys_target("max");
      if (sign == ':' && value == 77) labrys_target("colon");
      total += value;
    }
  }
  if (lines.size() == 3) labrys_target("three");
  if (total == 1234) labrys_target("total");
  if (all.size() > 40) labrys_target("long");
  return 0;
}
