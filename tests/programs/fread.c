/* fread by bytes and by records. */
#include <labrys.h>
#include <stdio.h>

struct record { unsigned id; short left, right; };

int main(void) {
  unsigned magic;
  struct record r[4];
  if (fread(&magic, sizeof magic, 1, stdin) != 1) {
    labrys_target("too-short");
    return 1;
  }
  if (magic != 0x4c414252) return 2;
  labrys_target("magic");
  size_t n = fread(r, sizeof *r, 4, stdin);
  if (n == 3 && r[2].id == 77 && r[2].left + r[2].right == -5) labrys_target("third");
  if (n == 4) {
    char rest[10];
    size_t more = fread(rest, 1, sizeof rest, stdin);
    if (more == 6 && rest[5] == '#') labrys_target("rest");
  }
  if (feof(stdin) && n == 1) labrys_target("end");
  return 0;
}
