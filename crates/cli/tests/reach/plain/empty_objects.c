// proved: control
#include <labrys.h>
struct empty {};
static struct empty first, second;
static int one, other, none[0], after;
int main(int argc, char **argv) {
  void *volatile a = &first, *volatile b = &second;
  if (a == b) labrys_target("same");
  void *volatile c = none, *volatile d = &after;
  if (c == d) labrys_target("where_the_next_begins");
  void *volatile e = &one, *volatile f = &other;
  if (e == f) labrys_target("control");
  return 0;
}
