/* memcpy, memmove, memset, memcmp and their kin, over and inside one another. */
#define _GNU_SOURCE
#include <labrys.h>
#include <string.h>
#include <strings.h>

int main(void) {
  unsigned char a[16], b[32], c[16];
  labrys_symbolic(a, sizeof a, "a");
  memset(b, 'x', sizeof b);
  memcpy(b + 4, a, 16);
  memmove(b + 2, b + 4, 16);
  if (!memcmp(b, "xxabcdef", 8)) labrys_target("copied");
  memmove(b + 6, b, 12);
  if (b[8] == 'q' && b[2] == 'q') labrys_target("moved");
  memset(c, a[3], sizeof c);
  if (c[7] == 200 && c[15] > 199) labrys_target("filled");
  if (memcmp(a, a + 8, 8) > 0 && a[0] == 5 && a[8] == 5) labrys_target("greater");
  if (memchr(a, 0x7f, 16) == a + 11) labrys_target("found");
  if (memrchr(a, 0x7e, 16) == a + 3) labrys_target("found-last");
  void *end = mempcpy(c, a + 2, 5);
  if (end == c + 5 && c[4] == 'E') labrys_target("mempcpy");
  bzero(c, 3);
  if (c[2] == 0 && c[3] == 'B') labrys_target("bzero");
  if (memccpy(c, a, '!', 16) == c + 6) labrys_target("memccpy");
  char word[8];
  memcpy(word, a + 8, 8);
  word[7] = 0;
  if (memmem(a, 16, "key", 3) == a + 9) labrys_target("memmem");
  unsigned value;
  memcpy(&value, a + 1, 4);
  if (value == 0x01020304) labrys_target("unaligned");
  return 0;
}
