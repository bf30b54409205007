// Algorithms and containers whose code is in headers, and what is inside the library.
#include <algorithm>
#include <array>
#include <labrys.h>
#include <map>
#include <string>
#include <string_view>

int main() {
  std::array<unsigned char, 4> a;
  char which, text[6];
  labrys_symbolic(&which, 1, "which");
  labrys_symbolic(a.data(), a.size(), "a");
  labrys_symbolic(text, sizeof text, "text");
  text[5] = 0;
  switch (which) {
  case 'v': {
    std::string_view view(text);
    if (view.substr(0, 4) == "maze") labrys_target("view");
    break;
  }
  case 'c':
    if (std::count(a.begin(), a.end(), 7) == 3) labrys_target("count");
    break;
  case 'm': {
    std::map<int, int> seen;
    for (unsigned char x : a) seen[x]++;
    if (seen.size() == 2 && seen.count(9)) labrys_target("map");
    break;
  }
  case 's':
    std::sort(a.begin(), a.end());
    if (a[0] == 10 && a[3] == 13 && a[1] != a[2]) labrys_target("sorted");
    break;
  case 'n':
    try {
      if (std::stoi(text) > 0) labrys_target("number");
    } catch (const std::exception &) {
      labrys_target("no-number");
    }
    break;
  }
  return 0;
}
