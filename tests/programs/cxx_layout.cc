// A string takes text from the stack: the library's headers ask whether the two overlap, and the
// answer depends on where the compiler lays out variables, which differs from build to build.
#include <cstdio>
#include <labrys.h>
#include <string>

int main() {
  std::string line;
  char text[64];
  if (!fgets(text, sizeof text, stdin)) return 1;
  line = text;
  while (!line.empty() && line.back() == '\n') line.pop_back();
  if (line == "hello") labrys_target("equal");
  if (line.find("key=") == 0 && line.size() == 7) labrys_target("begins");
  return 0;
}
