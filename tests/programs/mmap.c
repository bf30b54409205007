/* cover: -- @@
 * A file that is mapped, its size asked of fstat. */
#include <fcntl.h>
#include <labrys.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int fd = open(argv[argc - 1], O_RDONLY);
  struct stat s;
  if (fd < 0 || fstat(fd, &s)) return 1;
  if (s.st_size < 16) {
    labrys_target("small");
    return 2;
  }
  const unsigned char *p = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (p == MAP_FAILED) return 3;
  if (!memcmp(p, "MAP1", 4)) {
    labrys_target("magic");
    unsigned size;
    memcpy(&size, p + 4, 4);
    if (size == s.st_size && size == 41) labrys_target("size");
    if (p[15] == 'x' && p[14] == p[13]) labrys_target("bytes");
  }
  return 0;
}
