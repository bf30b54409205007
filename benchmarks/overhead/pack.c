/* A small LZ77 packer over repetitive text: concrete work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE (1 << 20)
static unsigned char text[SIZE], packed[3 * SIZE];
static int table[65536];

static size_t pack(const unsigned char *s, size_t n, unsigned char *to) {
  size_t i = 0, used = 0;
  memset(table, -1, sizeof table);
  while (i + 4 < n) {
    unsigned h = ((s[i] | s[i + 1] << 8 | s[i + 2] << 16) * 2654435761u) >> 16;
    int m = table[h];
    table[h] = (int)i;
    if (m >= 0 && i - m < 65535 && !memcmp(s + m, s + i, 3)) {
      size_t length = 3;
      while (i + length < n && length < 255 && s[m + length] == s[i + length]) length++;
      to[used++] = length;
      to[used++] = i - m;
      to[used++] = (i - m) >> 8;
      i += length;
    } else {
      to[used++] = 0;
      to[used++] = s[i++];
    }
  }
  return used;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  unsigned state = 1;
  size_t total = 0;
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < SIZE; i++) text[i] = "abcdefgh"[(state = state * 1103515245 + 12345) >> 16 & 7];
    total += pack(text, SIZE, packed);
  }
  printf("%zu\n", total);
}
