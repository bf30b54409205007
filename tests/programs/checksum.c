/* A checksum over the input must equal the one that stands in it. */
#include <labrys.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  unsigned char b[24];
  if (read(0, b, sizeof b) != sizeof b) return 1;
  uint32_t a = 1, s = 0, stored;
  for (int i = 0; i < 20; i++) {
    a = (a + b[i]) % 65521;
    s = (s + a) % 65521;
  }
  memcpy(&stored, b + 20, 4);
  if (stored != (s << 16 | a)) return 2;
  labrys_target("adler");
  if (!memcmp(b, "knossos", 7)) labrys_target("contents");
  return 0;
}
