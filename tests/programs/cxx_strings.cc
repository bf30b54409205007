// Strings and vectors of the standard library: what is in headers keeps its labels.
#include <labrys.h>
#include <string>
#include <vector>

int main() {
  char raw[10];
  labrys_symbolic(raw, sizeof raw, "raw");
  raw[9] = 0;
  std::string s(raw);
  if (s == "theseus") labrys_target("equal");
  if (s.size() == 4 && s[3] == '!') labrys_target("size");
  if (s.compare(0, 3, "ax-") == 0) labrys_target("prefix");
  if (s.find('=') == 2) labrys_target("found");
  if (s + "y" == "yarny") labrys_target("joined");
  std::vector<int> v;
  for (char c : s) v.push_back(c * 2);
  if (v.size() == 3 && v[1] == 'q' * 2) labrys_target("vector");
  int sum = 0;
  for (int x : v) sum += x;
  if (sum == 1000) labrys_target("sum");
  return 0;
}
