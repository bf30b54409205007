/* Checksums over a block of 4 KiB. */
#include <labrys.h>
#include <stdint.h>
#include <unistd.h>

static unsigned char block[4096];

int main(void) {
  size_t size = 0;
  ssize_t got;
  while (size < sizeof block && (got = read(0, block + size, sizeof block - size)) > 0) size += got;
  if (size != sizeof block) return 1;
  labrys_target("full");
  uint32_t a = 1, b = 0, crc = ~0u, sum = 0;
  for (size_t i = 0; i < size; i++) {
    sum += block[i];
    a = (a + block[i]) & 0xffff;
    b = (b + a) & 0xffff;
    crc ^= block[i];
    for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
  }
  if (sum == 500000) labrys_target("sum");
  if ((b << 16 | a) == 0x12345678) labrys_target("adler");
  if (~crc == 0x600df00d && (sum & 0xff) == 0x42) labrys_target("crc and sum");
  return 0;
}
