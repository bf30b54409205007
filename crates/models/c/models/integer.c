/* Small functions on integers. The compiler knows most of them; these are for calls that it has
 * left, and for uses as values. */

int MODEL(abs)(int x) { return x < 0 ? (int)-(unsigned)x : x; }
long MODEL(labs)(long x) { return x < 0 ? (long)-(unsigned long)x : x; }
long long MODEL(llabs)(long long x) { return MODEL(labs)(x); }
intmax_t MODEL(imaxabs)(intmax_t x) { return MODEL(labs)(x); }

int MODEL(ffsl)(long x) { return x ? __builtin_ctzl((unsigned long)x) + 1 : 0; }
int MODEL(ffsll)(long long x) { return MODEL(ffsl)(x); }
int MODEL(ffs)(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }

div_t MODEL(div)(int a, int b) { return (div_t){a / b, a % b}; }
ldiv_t MODEL(ldiv)(long a, long b) { return (ldiv_t){a / b, a % b}; }
lldiv_t MODEL(lldiv)(long long a, long long b) { return (lldiv_t){a / b, a % b}; }
imaxdiv_t MODEL(imaxdiv)(intmax_t a, intmax_t b) { return (imaxdiv_t){a / b, a % b}; }

int MODEL(toascii)(int c) { return c & 0x7f; }
int MODEL(isascii)(int c) { return (c & ~0x7f) == 0; }
