/* Decimal fractions in text, character by character: shared by strtod, scanf and the streams of
 * C++. Only exact mantissas and exact powers of ten are converted: one multiplication or
 * division, correctly rounded.
 *
 * Paths are few: which characters are digits is decided by who reads them, which digits they are
 * is not; nor what the exponent is, where it is all that there is to try beside one or two
 * digits. */
#pragma once

/* One decision; the end of an input (-1) is no digit. */
#define IS_DIGIT(c) ((unsigned)(c) - '0' < 10)

struct decimal {
  unsigned long mantissa;
  unsigned narrow; /* The same of up to nine digits: half the work for a solver. */
  int digits, scale;
  int power, power_digits, power_minus;
};

/* A digit of the mantissa. */
static inline void decimal_digit(struct decimal *number, int c) {
  unsigned digit = (unsigned)c - '0';
  if (number->digits < 9)
    number->mantissa = number->narrow = number->narrow * 10 + digit;
  else if (number->digits < 18)
    number->mantissa = number->mantissa * 10 + digit;
  number->digits++;
}

/* A digit of the exponent: three digits, or 999 or more. Which digit it is is decided where the
 * mantissa is long. */
static inline void decimal_power(struct decimal *number, int c) {
  int digit = c - '0';
  if (number->digits > 2)
    for (digit = 0; digit < 9 && c != '0' + digit;) digit++;
  if (number->power_digits++ < 3) number->power = number->power * 10 + digit;
}

/* value × 10^scale, rounded once, for exact values and powers. */
static inline double decimal_scaled(double value, int scale) {
  static const double TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  return scale < 0 ? value / TENS[-scale] : scale > 0 ? value * TENS[scale] : value;
}

/* The magnitude, if it is exact that way. */
static inline int decimal_value(const struct decimal *number, double *value) {
  int power = number->power_digits > 3 ? 999 : number->power;
  int scale = number->scale + (number->power_minus ? -power : power);
  if (number->digits == 0 || number->digits > 18) return 0;
  if (number->digits > 15 && number->mantissa > 1UL << 53) return 0;
  if ((scale < -22) | (scale > 22)) return 0;
  double mantissa =
      number->digits <= 9 ? (double)(int)number->narrow : (double)(long)number->mantissa;
  *value = decimal_scaled(mantissa, scale);
  return 1;
}
