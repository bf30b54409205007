/* What the library does with input where nothing follows it, and what it gives to others. */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int compare(const void *a, const void *b) { return strcmp(a, b); }

int main(int argc, char **argv) {
  char line[64] = "", rest[64], *in = line, *words[] = {"a", NULL}, *value;
  if (!fgets(line, 32, stdin)) return 1;
  struct tm date = {0};
  if (!strptime(line, "%Y", &date)) puts("no year");
  struct tm day = {.tm_year = line[0]};
  if (mktime(&day) == 7) puts("seven");
  if (fnmatch("a*", line, 0) == 0) puts("a");
  if (strtold(line, NULL) > 5) puts("large");
  if (getsubopt(&in, words, &value) == 0) puts("option");
  struct iovec part = {rest, sizeof rest};
  if (preadv(0, &part, 1, 0) == 3) puts("three");
  if (getw(stdin) == 5) puts("five");
  if (fopen(line, "r")) puts("file");
  if (access(line, R_OK) == 0) puts("readable");
  void *tree = NULL;
  tsearch(line, &tree, compare);
  if (fork() == 0) _exit(line[0] == 'x');
  int status;
  wait(&status);
  return argc > 1 && access(argv[1], R_OK) == 0;
}
