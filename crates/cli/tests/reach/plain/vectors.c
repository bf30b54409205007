#define _GNU_SOURCE
#include <labrys.h>
#include <sys/uio.h>
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  static int x = 1;
  int y = 1;
  struct iovec v[2] = {{&x, 4}, {&y, 4}};
  int f = open("/dev/zero", O_RDONLY);
  readv(f, v, 2);
  if (x == 0) labrys_target("x");
  if (y == 0) labrys_target("y");
  x = y = 1;
  preadv(f, v, 2, 0);
  if (x == 0) labrys_target("px");
  if (y == 0) labrys_target("py");
  int a = 1, b = 2;
  struct iovec l = {&a, 4}, r = {&b, 4};
  process_vm_readv(getpid(), &l, 1, &r, 1, 0);
  if (a == 2) labrys_target("pv");
  return 0;
}
