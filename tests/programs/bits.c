/* Shifts, masks, rotations, counting and reversing bits. */
#include <labrys.h>
#include <stdint.h>

int main(void) {
  uint32_t x;
  uint64_t y;
  unsigned char n;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  labrys_symbolic(&n, sizeof n, "n");
  if (((x ^ x << 13) & 0xffff0000u) == 0xcafe0000u) labrys_target("xorshift");
  if ((x << 7 | x >> 25) == 0x12345678u) labrys_target("rotate");
  if ((x << (n & 31) | x >> (-n & 31)) == 0x80000001u && (n & 31) == 9) labrys_target("rotate-by");
  if (__builtin_popcountll(y) == 40 && (y & 0xffff) == 0) labrys_target("popcount");
  if (__builtin_clz(x | 1) == 11) labrys_target("leading");
  if (y && __builtin_ctzll(y) == 37) labrys_target("trailing");
  if (__builtin_bswap32(x) == 0x11223344u) labrys_target("swap");
  if (__builtin_bitreverse64(y) == 0xf0f0f0f0deadbeefu) labrys_target("reverse");
  if ((int32_t)x >> 20 == -3) labrys_target("arithmetic");
  if ((y & (y - 1)) == 0 && y > 1000000) labrys_target("power");
  if (__builtin_parity(x) && (x & 0xffffff00u) == 0xabcdef00u) labrys_target("parity");
  return 0;
}
