#include <labrys.h>
#include <fcntl.h>
static int hidden = 3;
static char path[] = "/proc/self/mem";
int main(int argc, char **argv) {
  int local = 1, n = 42;
  int fd = open(path, O_RDWR);
  pwrite(fd, &n, 4, (off_t)(unsigned long)&hidden);
  if (hidden == 42) labrys_target("hidden");
  pwrite(fd, &n, 4, (off_t)(unsigned long)&local);
  if (local == 42) labrys_target("local");
  return 0;
}
