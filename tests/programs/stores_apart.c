/* Stores of several bytes at any byte of an array. */
#include <labrys.h>
#include <stdint.h>
#include <string.h>

int main(void) {
  char b[16];
  unsigned char k, j;
  labrys_symbolic(b, sizeof b, "b");
  labrys_symbolic(&k, sizeof k, "k");
  labrys_symbolic(&j, sizeof j, "j");
  memmove(b + (k & 7), b, 8);
  if (!memcmp(b + 8, "HELLO", 5) && (k & 7) == 3) labrys_target("moved");
  uint16_t two = 0x4241;
  memcpy(b + (j & 3), &two, sizeof two);
  if (b[3] == 'A') labrys_target("odd");
  return 0;
}
