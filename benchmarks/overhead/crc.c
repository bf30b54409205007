/* CRC-32 by table and Adler-32 over a changing block: concrete work. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t table[256];
static unsigned char block[1 << 16];

static uint32_t crc(const unsigned char *p, size_t n) {
  uint32_t c = ~0u;
  while (n--) c = table[(c ^ *p++) & 255] ^ c >> 8;
  return ~c;
}

static uint32_t adler(const unsigned char *p, size_t n) {
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < n; i++) {
    a = (a + p[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ c >> 1 : c >> 1;
    table[i] = c;
  }
  for (int r = 0; r < rounds * 32; r++) {
    block[r * 7919 % sizeof block] = sum;
    sum += crc(block, sizeof block) ^ adler(block, sizeof block);
  }
  printf("%08x\n", sum);
}
