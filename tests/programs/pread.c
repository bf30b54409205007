/* Reading at positions, and vectors. */
#include <labrys.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
  char tail[4], head[2], rest[6];
  if (pread(0, tail, 4, 8) == 4 && !memcmp(tail, "tail", 4)) labrys_target("tail");
  if (pread(0, tail, 4, 100) == 2) labrys_target("far");
  struct iovec parts[2] = {{head, 2}, {rest, 6}};
  ssize_t n = readv(0, parts, 2);
  if (n == 5 && head[1] == '#' && rest[2] == '!') labrys_target("parts");
  if (n == 8 && head[0] == rest[5] && head[0] == 'z') labrys_target("ends");
  return 0;
}
