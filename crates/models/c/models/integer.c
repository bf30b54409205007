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

/* The parts of the number of a device, which lie between each other. */
unsigned MODEL(gnu_dev_major)(dev_t device) {
  return (unsigned)(device >> 8 & 0xfff) | (unsigned)(device >> 32 & 0xfffff000);
}
unsigned MODEL(gnu_dev_minor)(dev_t device) {
  return (unsigned)(device & 0xff) | (unsigned)(device >> 12 & 0xffffff00);
}
dev_t MODEL(gnu_dev_makedev)(unsigned major, unsigned minor) {
  dev_t high = major, low = minor;
  return (high & 0xfff) << 8 | (high & 0xfffff000) << 32 | (low & 0xff) | (low & 0xffffff00) << 12;
}
