/* A program that looks into the list of its mappings does the same in every build: each bit of the
 * length of that list decides. */
#include <fcntl.h>
#include <labrys.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ones[16], stack;

int main(void) {
  static char text[1 << 16];
  size_t size = 0;
  ssize_t got;
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && (got = read(fd, text + size, sizeof text - 1 - size)) > 0) size += (size_t)got;
  if (fd < 0 || close(fd)) return 1;
  for (int i = 0; i < 16; i++) {
    switch (size >> i & 1) {
      case 1: ones[i]++; break;
      default: ones[i]--;
    }
    if (i == 2 && ones[2] > 0) puts("2");
    if (i == 3 && ones[3] > 0) puts("3");
    if (i == 5 && ones[5] > 0) puts("5");
    if (i == 7 && ones[7] > 0) puts("7");
  }
  if (strstr(text, "[stack]")) stack = 1;
  if (stack && getchar() == 'm') labrys_target("mapped");
  return 0;
}
