/* The size of a file as stat tells it, and its end. */
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  struct stat s;
  if (fstat(0, &s)) return 1;
  if (s.st_size == 0) labrys_target("empty");
  if (s.st_size == 21) labrys_target("twenty-one");
  if (s.st_size > 40 && s.st_size % 10 == 3) labrys_target("size");
  char *all = malloc((size_t)s.st_size + 1);
  ssize_t n = read(0, all, (size_t)s.st_size);
  if (n > 3 && all[n - 1] == '$' && all[n - 2] == '^') labrys_target("last");
  off_t end = lseek(0, 0, SEEK_END);
  if (end == 7 && all[0] == '7') labrys_target("seven");
  return 0;
}
