/* A program that acts by its own name, as gzip and busybox do. */
#include <labrys.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  (void)argc;
  const char *slash = strrchr(argv[0], '/');
  const char *name = slash ? slash + 1 : argv[0];
  if (strncmp(name, "own", 3) != 0) return 1;
  int c = getchar();
  if (c == 'x') labrys_target("letter");
  if (c == EOF) labrys_target("end");
  return 0;
}
