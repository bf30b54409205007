#include <labrys.h>
#include <unistd.h>
static int g;
int main(void) {
  int p = vfork();
  if (p == 0) {
    g = 5;
    labrys_target("child");
    _exit(0);
  }
  if (g == 5) labrys_target("parent");
  return 0;
}
