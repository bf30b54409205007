/* Integer operations of all widths, casts, comparisons. */
typedef __int128 wide;

unsigned mix(unsigned a, int b, unsigned char c, short d) {
    unsigned x = a + (unsigned)b * c - (a << (d & 31));
    x ^= a / (c | 1u);
    x |= (unsigned)(b % (d | 1));
    return (x >> 3) & (unsigned)(b >> 2);
}

int order(long a, unsigned long b, signed char c) {
    return (a < c) + (b <= (unsigned long)a) * 2 + ((char)a == c) * 4 + (a != (long)b) * 8;
}

wide product(long a, long b) {
    return (wide)a * b + ((wide)1 << 100);
}

unsigned _BitInt(17) odd(unsigned _BitInt(17) a) { return a * 3uwb; }
