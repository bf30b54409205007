/* cover: -- @@
 * Seeking: an index at the start that leads to data, a trailer at the end. */
#include <fcntl.h>
#include <labrys.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  FILE *f = fopen(argv[1], "rb");
  if (!f) return 1;
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  if (size == 37) labrys_target("size");
  if (size < 8) return 2;
  char trailer[4];
  fseek(f, -4, SEEK_END);
  if (fread(trailer, 1, 4, f) == 4 && !memcmp(trailer, "TAIL", 4)) labrys_target("trailer");
  rewind(f);
  int offset = fgetc(f);
  if (offset == 6 && fseek(f, offset, SEEK_SET) == 0 && fgetc(f) == '@') labrys_target("follow");
  fclose(f);
  int fd = open(argv[1], O_RDONLY);
  char c;
  off_t end = lseek(fd, 0, SEEK_END);
  if (end == 51) labrys_target("lseek");
  if (lseek(fd, 2, SEEK_SET) == 2 && read(fd, &c, 1) == 1 && c == 0x7f) labrys_target("third-byte");
  if (pread(fd, &c, 1, 7) == 1 && c == '\\') labrys_target("pread");
  return 0;
}
