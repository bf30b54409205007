// each: alone
// checked: too
// inputs: 00 01 02 03 04 05
// proved: kept
#include <errno.h>
#include <fcntl.h>
#include <labrys.h>
#include <stdio.h>
static int *number, *(*volatile where)(void) = __errno_location;
int main(void) {
  unsigned char in;
  labrys_symbolic(&in, 1, "in");
  char c;
  errno = 0;
  if (in == 0) {
    open("/is/not/there", O_RDONLY);
    if (errno == ENOENT) labrys_target("open");
  }
  if (in == 1) {
    FILE *file = fopen("/is/not/there", "r");
    if (!file && errno == ENOENT) labrys_target("fopen");
  }
  if (in == 2) {
    FILE *folder = fopen("/", "r");
    errno = 0;
    if (folder && fgetc(folder) == EOF && errno == EISDIR) labrys_target("fgetc");
  }
  if (in == 3) {
    if (read(77, &c, 1) == -1 && errno == EBADF) labrys_target("read");
  }
  if (in == 4) {
    number = &errno;
    isatty(77);
    if (*number == EBADF) labrys_target("by_pointer");
  }
  if (in == 5) {
    isatty(77);
    if (*where() == EBADF) labrys_target("by_function");
  }
  errno = 5;
  if (errno == 6) labrys_target("kept");
}
