/* Checked arithmetic, bit counting, rotations, saturation, byte order. */
#include <stdint.h>
#include <stdlib.h>

int checked(int a, int b, unsigned c, unsigned d, long e) {
    int r;
    unsigned u;
    long l;
    if (__builtin_add_overflow(a, b, &r) || __builtin_sub_overflow(c, d, &u) || __builtin_mul_overflow(e, e, &l))
        return -1;
    return r + (int)u + (int)l;
}

unsigned count(unsigned a, uint64_t b) {
    return (unsigned)__builtin_popcount(a) + (unsigned)__builtin_clzll(b | 1) + (unsigned)__builtin_ctz(a | 1) + (unsigned)__builtin_ffs((int)a);
}

uint32_t swap(uint32_t a, uint16_t b) { return __builtin_bswap32(a) ^ __builtin_bswap16(b) ^ __builtin_bitreverse32(a); }
uint32_t rotate(uint32_t a, unsigned n) { return __builtin_rotateleft32(a, n) + __builtin_rotateright32(a, n); }
int absolute(int a, long b) { return abs(a) + (int)labs(b); }
int saturate(int a, int b) { return __builtin_elementwise_add_sat(a, b) - __builtin_elementwise_sub_sat(a, b); }
int extremes(int a, int b, unsigned c) { return __builtin_elementwise_max(a, b) + __builtin_elementwise_min(a, b) + (int)__builtin_elementwise_max(c, 3u); }
