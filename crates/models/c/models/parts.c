/* Functions of the mathematics library that write a second result through a pointer.
 *
 * `frexp` and `modf` take numbers apart, which is done on their bits: no solver needs to know
 * the functions. `sincos` and `lgamma_r` are two calls of pure functions. `remquo` is `fmod` and
 * long division by what is left: the differences are exact. */

extern double __labrys_w_trunc(double x);
extern float __labrys_w_truncf(float x);
extern double __labrys_w_sin(double x);
extern float __labrys_w_sinf(float x);
extern double __labrys_w_cos(double x);
extern float __labrys_w_cosf(float x);
extern double __labrys_w_lgamma(double x);
extern float __labrys_w_lgammaf(float x);
extern double __labrys_w_fmod(double x, double y);
extern float __labrys_w_fmodf(float x, float y);

/* The functions of one type of floats: its name, its integer of the same size, bits of the
 * fraction, exponent of 1, and the suffix of the functions. */
#define PARTS(real, word, fraction, bias, suffix)                                       \
  static word bits_of##suffix(real x) {                                                 \
    word bits;                                                                          \
    __builtin_memcpy(&bits, &x, sizeof bits);                                           \
    return bits;                                                                        \
  }                                                                                     \
  static real of_bits##suffix(word bits) {                                              \
    real x;                                                                             \
    __builtin_memcpy(&x, &bits, sizeof x);                                              \
    return x;                                                                           \
  }                                                                                     \
  real MODEL(frexp##suffix)(real x, int *exponent) {                                    \
    const word most = 2 * (word)bias + 1;                                               \
    int offset = 0;                                                                     \
    word power = bits_of##suffix(x) >> fraction & most;                                 \
    if (power == 0) {                                                                   \
      *exponent = 0;                                                                    \
      if (x == 0) return x;                                                             \
      x *= (real)0x1p64;                                                                \
      offset = 64;                                                                      \
      power = bits_of##suffix(x) >> fraction & most;                                    \
    }                                                                                   \
    if (power == most) {                                                                \
      *exponent = 0;                                                                    \
      return x + x;                                                                     \
    }                                                                                   \
    *exponent = (int)power - bias + 1 - offset;                                         \
    return of_bits##suffix((bits_of##suffix(x) & ~(most << fraction)) |                 \
                           (word)(bias - 1) << fraction);                               \
  }                                                                                     \
  real MODEL(modf##suffix)(real x, real *whole) {                                       \
    const word sign = (word)1 << (8 * sizeof(word) - 1);                                \
    real integer = __labrys_w_trunc##suffix(x);                                         \
    *whole = integer;                                                                   \
    /* Infinity has no fraction. */                                                     \
    real rest = integer == x ? (real)0 : x - integer;                                   \
    return of_bits##suffix((bits_of##suffix(rest) & ~sign) | (bits_of##suffix(x) & sign));\
  }                                                                                     \
  void MODEL(sincos##suffix)(real x, real *sine, real *cosine) {                        \
    *sine = __labrys_w_sin##suffix(x);                                                  \
    *cosine = __labrys_w_cos##suffix(x);                                                \
  }                                                                                     \
  /* Negative between an odd integer and the next lower one, and at -0. */              \
  real MODEL(lgamma##suffix##_r)(real x, int *sign) {                                   \
    real value = __labrys_w_lgamma##suffix(x), down = __labrys_w_trunc##suffix(x);      \
    real half = down / 2;                                                               \
    if (x > 0 || x != x)                                                                \
      *sign = 1;                                                                        \
    else if (x == 0)                                                                    \
      *sign = bits_of##suffix(x) ? -1 : 1;                                              \
    else                                                                                \
      *sign = down != x && __labrys_w_trunc##suffix(half) == half ? -1 : 1;             \
    return value;                                                                       \
  }                                                                                     \
  /* The quotient modulo 8, as the library gives it; none where there is no remainder. */\
  real MODEL(remquo##suffix)(real x, real y, int *quotient) {                           \
    const word sign = (word)1 << (8 * sizeof(word) - 1);                                \
    int is_negative = (bits_of##suffix(x) ^ bits_of##suffix(y)) >= sign, count = 0;     \
    real size = of_bits##suffix(bits_of##suffix(x) & ~sign);                            \
    y = of_bits##suffix(bits_of##suffix(y) & ~sign);                                    \
    if (x != x || y != y || y == 0 || size - size != 0) return (x * y) / (x * y);       \
    size = __labrys_w_fmod##suffix(size, 8 * y);                                        \
    for (int step = 4; step > 0; step /= 2)                                             \
      if (size >= step * y) size -= step * y, count += step;                            \
    real rest = y - size;                                                               \
    if (size > rest || (size == rest && count & 1)) size = -rest, count++;              \
    *quotient = is_negative ? -count : count;                                           \
    return bits_of##suffix(x) & sign ? -size : size;                                    \
  }

PARTS(double, uint64_t, 52, 1023, )
PARTS(float, uint32_t, 23, 127, f)
