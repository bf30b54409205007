/* A parser of a small binary header: eight nested comparisons of growing difficulty. */
#include <labrys.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static uint32_t get32(const unsigned char *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

int main(void) {
  unsigned char b[32];
  if (read(0, b, sizeof b) != sizeof b) return 1;
  if (memcmp(b, "\x7f" "MGC", 4)) return 1;
  labrys_target("signature");
  if (get32(b + 4) != 0xcafebabe) return 1;
  labrys_target("word");
  if ((uint16_t)(b[8] << 8 | b[9]) != 0x1234) return 1;
  uint32_t length = get32(b + 10);
  if (length < 12 || length > 20) return 1;
  labrys_target("length");
  if (get32(b + 14) * 2654435761u != 0x9e3779b9u * 77u) return 1;
  labrys_target("product");
  uint32_t sum = 0;
  for (unsigned i = 0; i < length; i++) sum = (sum << 3 | sum >> 29) ^ b[i];
  if (sum != get32(b + 20)) return 1;
  labrys_target("checksum");
  if ((get32(b + 24) ^ get32(b + 28)) != 0xdeadbeef || b[24] + b[28] != 271) return 1;
  labrys_target("pair");
  return 0;
}
