// Standard input by its buffers: not synchronized with C's, iterators, all of it at once.
#include <iostream>
#include <iterator>
#include <labrys.h>
#include <sstream>
#include <string>

int main() {
  std::ios::sync_with_stdio(false);
  std::string name;
  if (std::getline(std::cin, name, ':').eof()) {
    labrys_target("no-colon");
    return 1;
  }
  if (name == "rdbuf") {
    std::stringstream copy;
    copy << std::cin.rdbuf();
    unsigned x = 0;
    copy >> std::hex >> x;
    if (x == 0xbe) labrys_target("hex");
    if (copy.str().size() == 9) labrys_target("size");
  } else if (name == "iter") {
    std::string rest((std::istreambuf_iterator<char>(std::cin)), {});
    if (rest.find("<>") == 2) labrys_target("found");
    std::ostringstream out;
    out << '[' << rest << ']';
    if (out.str() == "[ok]") labrys_target("output");
  } else if (name == "back") {
    char c = 0;
    std::cin >> c;
    std::cin.putback(c);
    bool flag = false;
    if (std::cin >> std::boolalpha >> flag && flag) labrys_target("true");
  }
  return 0;
}
