/* Numbers in text. Short numbers cannot overflow and are not checked for it, so that they cost
 * the solver no comparison; longer ones are compared with constants, never divided. */

/* The value of a digit, or anything from `base` on. */
static unsigned digit(byte c, unsigned base) {
  if (base <= 10) return (unsigned)c - '0';
  if (RANGE(c, '0', '9')) return c - '0';
  unsigned d = (c | 32u) - 'a';
  return d < 26 ? d + 10 : 99;
}

/* A number that is being read: magnitudes saturate at `limit`. Few digits fit half the width,
 * which is much less work for the solver: `value` is used only from then on. */
struct number {
  unsigned long value;
  unsigned narrow;
  unsigned digits;
  int overflow;
};

/* Digits that fit 32 bits. */
static unsigned narrow_digits(unsigned base) { return base <= 10 ? 9 : 6; }

static unsigned long value_of(const struct number *n, unsigned base) {
  return n->digits <= narrow_digits(base) ? n->narrow : n->value;
}

/* Up to `safe` digits always fit. Leading zeros are digits like others: without a decision about
 * them a path of three digits has all numbers below a thousand. */
static void add_digit(struct number *n, unsigned d, unsigned base, unsigned long limit) {
  static const unsigned char SAFE[] = {63, 39, 31, 27, 24, 22, 21, 19, 18, 18, 17, 17,
                                       16, 16, 15, 15, 15, 14, 14, 14, 14, 13, 13, 13,
                                       13, 13, 13, 12, 12, 12, 12, 12, 12, 12, 12};
  unsigned safe = SAFE[base - 2];
  if (n->overflow) return;
  if (n->digits >= safe) {
    unsigned long most = limit / base;
    if (n->value > most || (n->value == most && d > limit % base)) n->overflow = 1;
  }
  if (n->digits < narrow_digits(base))
    n->value = n->narrow = n->narrow * base + d;
  else
    n->value = n->value * base + d;
  n->digits++;
}

/* Scans [space][sign][0x]digits. The limits are those of a positive and a negative number. */
static unsigned long scan_number(const char *s, char **end, int base, unsigned long positive,
                                 unsigned long negative, int *minus, int *overflow) {
  const char *start = s;
  struct number n = {0, 0, 0, 0};
  *minus = *overflow = 0;
  if (base < 0 || base == 1 || base > 36) {
    errno = EINVAL;
    return 0;
  }
  while (MODEL(isspace)((byte)*s)) s++;
  if (*s == '-') {
    *minus = 1;
    s++;
  } else if (*s == '+')
    s++;
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] | 32) == 'x' &&
      digit((byte)s[2], 16) < 16) {
    s += 2;
    base = 16;
  } else if (base == 0)
    base = *s == '0' ? 8 : 10;
  unsigned long limit = *minus ? negative : positive;
  const char *first = s;
  for (;; s++) {
    unsigned d = digit((byte)*s, (unsigned)base);
    if (d >= (unsigned)base) break;
    add_digit(&n, d, (unsigned)base, limit);
  }
  if (end) *end = (char *)(s != first ? s : start);
  if (n.overflow) {
    errno = ERANGE;
    *overflow = 1;
    return limit;
  }
  return value_of(&n, (unsigned)base);
}

static long signed_number(const char *s, char **end, int base) {
  int minus, overflow;
  unsigned long limit = LONG_MAX;
  unsigned long v = scan_number(s, end, base, limit, limit + 1, &minus, &overflow);
  return (long)(minus ? -v : v);
}

static unsigned long unsigned_number(const char *s, char **end, int base) {
  int minus, overflow;
  unsigned long v = scan_number(s, end, base, ULONG_MAX, ULONG_MAX, &minus, &overflow);
  return minus && !overflow ? -v : v;
}

/* A pointer that the library stores must not keep the label of what stood there before. */
#define LIBRARY_NUMBER(call)                 \
  do {                                       \
    if (end) __labrys_unlabel(end, sizeof *end); \
    return call;                             \
  } while (0)

long MODEL(strtol)(const char *s, char **end, int base) {
  if (CONCRETE_STRING(s)) LIBRARY_NUMBER(strtol(s, end, base));
  return signed_number(s, end, base);
}

unsigned long MODEL(strtoul)(const char *s, char **end, int base) {
  if (CONCRETE_STRING(s)) LIBRARY_NUMBER(strtoul(s, end, base));
  return unsigned_number(s, end, base);
}

long long MODEL(strtoll)(const char *s, char **end, int base) { return MODEL(strtol)(s, end, base); }
unsigned long long MODEL(strtoull)(const char *s, char **end, int base) {
  return MODEL(strtoul)(s, end, base);
}
intmax_t MODEL(strtoimax)(const char *s, char **end, int base) {
  return MODEL(strtol)(s, end, base);
}
uintmax_t MODEL(strtoumax)(const char *s, char **end, int base) {
  return MODEL(strtoul)(s, end, base);
}
int MODEL(atoi)(const char *s) { return (int)MODEL(strtol)(s, NULL, 10); }
long MODEL(atol)(const char *s) { return MODEL(strtol)(s, NULL, 10); }
long long MODEL(atoll)(const char *s) { return MODEL(strtol)(s, NULL, 10); }

/* [sign]digits, if they are there. */
static const char *scan_power(const char *s, struct decimal *number) {
  if ((*s == '-') | (*s == '+')) number->power_minus = *s++ == '-';
  if (!IS_DIGIT((byte)*s)) return NULL;
  for (; IS_DIGIT((byte)*s); s++) decimal_power(number, (byte)*s);
  return s;
}

/* A number that ends at `behind`. */
static int is_real(double value, int minus, const char *behind, char **end, double *result) {
  *result = minus ? -value : value;
  if (end) *end = (char *)behind;
  return 1;
}

/* Does a word stand there, in letters of any case? */
static int has_word(const char *s, const char *word) {
  for (; *word; word++, s++)
    if ((*s | 32) != *word) return 0;
  return 1;
}

/* inf, infinity or nan, or no number: then what is behind `start` is not read. */
static int scan_word(const char *s, int minus, const char *start, char **end, double *result) {
  if ((*s | 32) == 'i') {
    if (!has_word(s, "inf")) return is_real(0, 0, start, end, result);
    size_t size = has_word(s + 3, "inity") ? 8 : 3;
    return is_real(__builtin_inf(), minus, s + size, end, result);
  }
  if (!has_word(s, "nan")) return is_real(0, 0, start, end, result);
  return s[3] != '(' && is_real(__builtin_nan(""), minus, s + 3, end, result);
}

/* Hexadecimal digits behind 0x: a whole number that a double holds. Without digits it is the zero. */
static int scan_hexadecimal(const char *x, int minus, char **end, double *result) {
  const char *s = x + 1;
  unsigned long value = 0;
  unsigned digits = 0, d;
  for (; (d = digit((byte)*s, 16)) < 16; s++)
    if (digits++ < 13) value = value << 4 | d;
  if (*s == '.') return 0;
  if (digits == 0) return is_real(0, minus, x, end, result);
  if (digits > 13 || (*s | 32) == 'p') return 0;
  double number = digits <= 7 ? (double)(int)value : (double)(long)value;
  return is_real(number, minus, s, end, result);
}

/* [space][sign]digits[.digits][e[sign]digits], or another form. Is the text such a number, and an
 * exact one? Which sign it is is decided at the end. */
static int scan_decimal(const char *s, char **end, double *result) {
  struct decimal number = {0};
  const char *start = s;
  int minus = 0;
  while (MODEL(isspace)((byte)*s)) s++;
  if ((*s == '-') | (*s == '+')) minus = *s++ == '-';
  for (; IS_DIGIT((byte)*s); s++) decimal_digit(&number, (byte)*s);
  if (number.digits == 1 && ((number.narrow == 0) & ((*s | 32) == 'x')))
    return scan_hexadecimal(s, minus, end, result);
  if (*s == '.')
    for (s++; IS_DIGIT((byte)*s); s++, number.scale--) decimal_digit(&number, (byte)*s);
  else if (number.digits == 0 && (((*s | 32) == 'i') | ((*s | 32) == 'n')))
    return scan_word(s, minus, start, end, result);
  if (number.digits == 0) return is_real(0, 0, start, end, result);
  if ((*s | 32) == 'e') {
    const char *behind = scan_power(s + 1, &number);
    if (behind)
      s = behind;
    else
      number.power_minus = 0;
  }
  double value;
  return decimal_value(&number, &value) && is_real(value, minus, s, end, result);
}

/* The library converts the text: nothing that it decides is seen. */
#define UNSEEN_NUMBER(name)                             \
  do {                                               \
    if (!CONCRETE_STRING(s)) __labrys_unseen(#name);    \
    LIBRARY_NUMBER(name(s, end));                       \
  } while (0)

double MODEL(strtod)(const char *s, char **end) {
  double value;
  if (!CONCRETE_STRING(s) && scan_decimal(s, end, &value)) return value;
  UNSEEN_NUMBER(strtod);
}

float MODEL(strtof)(const char *s, char **end) {
  /* Rounded twice where the double is not the number itself: left to the library there. */
  double value;
  if (!CONCRETE_STRING(s) && scan_decimal(s, end, &value) &&
      (((double)(float)value == value) | (value != value)))
    return (float)value;
  UNSEEN_NUMBER(strtof);
}

double MODEL(atof)(const char *s) { return MODEL(strtod)(s, NULL); }

/* Long doubles carry no labels. */
long double MODEL(strtold)(const char *s, char **end) { UNSEEN_NUMBER(strtold); }
