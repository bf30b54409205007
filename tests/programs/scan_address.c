/* Six bytes in hexadecimal with colons between them, as in the address of a network card. */
#include <labrys.h>
#include <stdio.h>

int main(void) {
  char line[64];
  unsigned part[6];
  if (!fgets(line, sizeof line, stdin)) return 1;
  int count = sscanf(line, "%x:%x:%x:%x:%x:%x", part, part + 1, part + 2, part + 3, part + 4, part + 5);
  if (count != 6) return 2;
  labrys_target("six");
  for (int i = 0; i < 6; i++)
    if (part[i] > 255) return 3;
  labrys_target("bytes");
  if (part[0] == 0xde && part[1] == 0xad && part[2] == 0xbe) labrys_target("known");
  if (part[0] & 1) labrys_target("multicast");
  return 0;
}
