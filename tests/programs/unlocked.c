/* The unlocked functions, another FILE of the same descriptor, a descriptor's copy. */
#include <labrys.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char record[6], line[10] = "";
  int first = getchar_unlocked();
  if (fread_unlocked(record, 1, sizeof record, stdin) == 6 && !memcmp(record, "record", 6))
    labrys_target("record");
  if (first == '<' && fgets_unlocked(line, sizeof line, stdin) && !strcmp(line, "a line\n"))
    labrys_target("line");
  int copy = dup(0);
  lseek(copy, 2, SEEK_SET);
  FILE *again = fdopen(copy, "r");
  if (again && getc_unlocked(again) == 'k' && getc_unlocked(again) == 'q')
    labrys_target("another");
  return 0;
}
