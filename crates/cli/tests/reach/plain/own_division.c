#include <labrys.h>
static int calls;
__int128 __divti3(__int128 a, __int128 b) { calls++; return 5; }
int main(int argc, char **argv) {
  volatile __int128 a = 100, b = 7;
  __int128 c = a / b;
  if (calls == 1) labrys_target("called");
  if (c == 5) labrys_target("value");
  return 0;
}
