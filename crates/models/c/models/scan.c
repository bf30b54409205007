/* scanf and its kin: %d %i %u %o %x %c %s %[ %n %%, and %a %e %f %g of float and double, with
 * widths, lengths and suppression. Formats with anything else are left to the library. */

/* Characters of a string or a FILE. What is looked for is never the end, so that there is a
 * decision about the end only where nothing else fits. */
struct source {
  const byte *string;
  FILE *file;
  int taken;
};

/* The next character; at the end of a string 0, of a FILE EOF. It is kept or left then. */
static int look(struct source *from) {
  return from->file ? __labrys_w_fgetc(from->file) : *from->string;
}

static void keep(struct source *from) {
  from->taken++;
  if (!from->file) from->string++;
}

static void leave(struct source *from, int c) {
  if (from->file && c != EOF) __labrys_w_ungetc(c, from->file);
}

static int is_end(const struct source *from, int c) { return from->file ? c == EOF : c == 0; }

/* Conversions to floating-point numbers. */
#define REALS "aAeEfFgG"

/* Is it one of these? Formats may be input, and the library's strchr leaves no decision. */
static int is_one_of(char c, const char *letters) {
  for (; *letters; letters++)
    if (c == *letters) return 1;
  return 0;
}

/* One conversion of a format. */
struct conversion {
  int suppressed, width;
  char length; /* 0, or h, H (hh), l, q (ll) */
  char kind;
};

/* Reads a conversion behind its '%'; where it ends, NULL if it is not one of ours. */
static const char *read_conversion(const char *f, struct conversion *c) {
  *c = (struct conversion){0, 0, 0, 0};
  if (*f == '*') c->suppressed = 1, f++;
  while (*f >= '0' && *f <= '9') {
    if (c->width > 100000) return NULL;
    c->width = c->width * 10 + (*f++ - '0');
  }
  if (*f == '$') return NULL;
  if (f[0] == 'h' && f[1] == 'h')
    c->length = 'H', f += 2;
  else if (f[0] == 'l' && f[1] == 'l')
    c->length = 'q', f += 2;
  else if (*f == 'h')
    c->length = 'h', f++;
  else if (*f == 'l' || *f == 'j' || *f == 'z' || *f == 't' || *f == 'q')
    c->length = 'l', f++;
  c->kind = *f;
  if (!is_one_of(*f, "diuoxXcs[n%" REALS)) return NULL;
  if (c->length && is_one_of(*f, "cs[")) return NULL;
  if (c->length && c->length != 'l' && is_one_of(*f, REALS)) return NULL;
  /* In old C `a` may ask for memory. */
  if (*f == 'a' && is_one_of(f[1], "sS[")) return NULL;
  return f + 1;
}

/* The end of a set behind its '['. */
static const char *set_end(const char *f) {
  if (*f == '^') f++;
  if (*f == ']') f++;
  while (*f && *f != ']') f++;
  return f;
}

static int in_set(const char *set, const char *end, byte c) {
  int inverted = *set == '^', found = 0;
  if (inverted) set++;
  for (const char *p = set; p < end; p++) {
    if (p[0] == '-' && p > set && p + 1 < end && (byte)p[-1] <= (byte)p[1]) {
      found |= c >= (byte)p[-1] && c <= (byte)p[1];
      continue;
    }
    found |= c == (byte)*p;
  }
  return found ^ inverted;
}

static int supported(const char *f) {
  struct conversion c;
  while (*f)
    if (*f++ == '%') {
      if (!(f = read_conversion(f, &c))) return 0;
      if (c.kind == '[') {
        f = set_end(f);
        if (!*f++) return 0;
      }
    }
  return 1;
}

static void store_number(void *to, char length, unsigned long value) {
  if (length == 'H')
    *(char *)to = (char)value;
  else if (length == 'h')
    *(short *)to = (short)value;
  else if (length == 'l' || length == 'q')
    *(long *)to = (long)value;
  else
    *(int *)to = (int)value;
}

enum { CONVERTED, NO_MATCH, NO_INPUT };

/* Reads a leading 0 or 0x, which may tell the base; whether there is one. */
static int prefix(struct source *from, int *width, unsigned *base) {
  int c = look(from);
  if (c != '0') {
    leave(from, c);
    return 0;
  }
  keep(from);
  if (*width > 0) --*width;
  if (*width != 0) {
    c = look(from);
    if ((c | 32) == 'x') {
      keep(from);
      if (*width > 0) --*width;
      *base = 16;
      return 1;
    }
    leave(from, c);
  }
  if (*base == 0) *base = 8;
  return 1;
}

static int convert_number(struct source *from, const struct conversion *how, void *to) {
  unsigned base = how->kind == 'i' ? 0 : how->kind == 'o' ? 8 : is_one_of(how->kind, "xX") ? 16 : 10;
  int is_signed = how->kind == 'd' || how->kind == 'i';
  int width = how->width ? how->width : -1, minus = 0;
  struct number n = {0, 0, 0, 0};
  int any = 0, c = look(from), end = 0;
  if (c == '-' || c == '+') {
    minus = c == '-';
    if (width > 0) width--;
    keep(from);
  } else {
    leave(from, c);
    end = -1;
  }
  if (width != 0 && (base == 0 || base == 16)) {
    if ((any = prefix(from, &width, &base))) end = 0;
  }
  if (base == 0) base = 10;
  unsigned long limit = is_signed ? (unsigned long)LONG_MAX + (unsigned long)minus : ULONG_MAX;
  for (; width != 0; width -= width > 0) {
    c = look(from);
    unsigned d = from->file && c == EOF ? base : digit((byte)c, base);
    if (d >= base) {
      leave(from, c);
      if (end && is_end(from, c)) return NO_INPUT;
      break;
    }
    keep(from);
    any = 1, end = 0;
    add_digit(&n, d, base, limit);
  }
  if (!any) return NO_MATCH;
  unsigned long value = value_of(&n, base);
  if (n.overflow) {
    errno = ERANGE;
    value = limit;
  }
  if (minus && (is_signed || !n.overflow)) value = -value;
  if (to) store_number(to, how->length, value);
  return CONVERTED;
}

/* The text of a number that is being read, for the library; the width that is left, -1 for any. */
struct real {
  struct source *from;
  int width;
  char few[64], *text;
  size_t size, room;
};

/* Keeps a character and looks at the next one; EOF where the width ends. */
static int next_of(struct real *real, int c) {
  if (real->size + 1 == real->room) {
    real->room *= 2;
    char *more = malloc(real->room);
    memcpy(more, real->text, real->size);
    if (real->text != real->few) free(real->text);
    real->text = more;
  }
  real->text[real->size++] = (char)c;
  keep(real->from);
  if (real->width > 0) real->width--;
  return real->width ? look(real->from) : EOF;
}

/* The letters of a word, in either case; the character behind them in `c`. Another one than the
 * letter that is wanted is taken. */
static int word_of(struct real *real, const char *letters, int *c) {
  for (; *letters; letters++) {
    if ((*c | 32) != *letters) {
      if (*c != EOF && !is_end(real->from, *c)) keep(real->from);
      *c = EOF;
      return 0;
    }
    *c = next_of(real, *c);
  }
  return 1;
}

/* nan, inf or infinity, or hexadecimal digits behind 0x: for the library to convert. */
static int other_real(struct real *real, int *c) {
  if ((*c | 32) == 'n') return word_of(real, "nan", c);
  if ((*c | 32) == 'i') return word_of(real, "inf", c) && ((*c | 32) != 'i' || word_of(real, "inity", c));
  size_t prefix = real->size + 1;
  int digits = 0, point = 0, power = 0, sign = 0;
  for (*c = next_of(real, *c);; *c = next_of(real, *c)) {
    if (power ? MODEL(isdigit)(*c) : MODEL(isxdigit)(*c))
      digits++, sign = 0;
    else if (sign && (*c == '-' || *c == '+'))
      sign = 0;
    else if (digits && !power && (*c | 32) == 'p')
      power = sign = point = 1;
    else if (*c == '.' && !point)
      point = 1;
    else
      return real->size > prefix;
  }
}

/* Decimal digits with a point; whether there was one. */
static int mantissa_of(struct real *real, struct decimal *number, int *c) {
  int point = 0;
  for (;; *c = next_of(real, *c)) {
    if (IS_DIGIT(*c))
      decimal_digit(number, *c), number->scale -= point;
    else if (*c == '.' && !point)
      point = 1;
    else
      return point;
  }
}

/* An exponent, or a part of one. */
static void power_of(struct real *real, struct decimal *number, int *c) {
  if (number->digits == 0 || (*c | 32) != 'e') return;
  *c = next_of(real, *c);
  if ((*c == '-') | (*c == '+')) {
    number->power_minus = *c == '-';
    *c = next_of(real, *c);
  }
  for (; IS_DIGIT(*c); *c = next_of(real, *c)) decimal_power(number, *c);
}

/* The library's conversion; whether there was a number. */
static int library_real(struct real *real, int wide, void *to) {
  char *end;
  real->text[real->size] = 0;
  __labrys_unseen("scanf");
  if (wide) {
    double value = strtod(real->text, &end);
    if (to && end != real->text) __labrys_unlabel(to, sizeof value), *(double *)to = value;
  } else {
    float value = strtof(real->text, &end);
    if (to && end != real->text) __labrys_unlabel(to, sizeof value), *(float *)to = value;
  }
  return end != real->text;
}

/* Reads as far as the library does: `1e+` is 1, with all three characters taken. */
static int scan_real(struct real *real, int wide, void *to) {
  struct decimal number = {0};
  int minus = 0, others = 0, matched = 1, c = look(real->from);
  if ((c == '-') | (c == '+')) {
    minus = c == '-';
    c = next_of(real, c);
  }
  int point = mantissa_of(real, &number, &c);
  if (number.digits == 0 && !point)
    others = ((c | 32) == 'n') | ((c | 32) == 'i');
  else if (number.digits == 1 && !point && real->width != 1)
    others = (number.narrow == 0) & ((c | 32) == 'x');
  if (others)
    matched = other_real(real, &c);
  else
    power_of(real, &number, &c);
  leave(real->from, real->width ? c : EOF);
  if (!matched || (!others && number.digits == 0))
    return real->size == 0 && is_end(real->from, c) ? NO_INPUT : NO_MATCH;
  double value;
  if (others || !decimal_value(&number, &value))
    return library_real(real, wide, to) ? CONVERTED : NO_MATCH;
  if (minus) value = -value;
  if (!wide && (double)(float)value != value) return library_real(real, wide, to), CONVERTED;
  if (to && wide) *(double *)to = value;
  if (to && !wide) *(float *)to = (float)value;
  return CONVERTED;
}

static int convert_real(struct source *from, const struct conversion *how, void *to) {
  struct real real = {.from = from, .width = how->width ? how->width : -1, .room = sizeof real.few};
  real.text = real.few;
  int result = scan_real(&real, how->length == 'l', to);
  if (real.text != real.few) free(real.text);
  return result;
}

static int convert_text(struct source *from, const struct conversion *how, const char *set,
                        const char *end_of_set, char *to) {
  int width = how->width ? how->width : how->kind == 'c' ? 1 : -1;
  int any = 0;
  for (; width != 0; width -= width > 0) {
    int c = look(from), end = is_end(from, c);
    int stop = how->kind == 's'   ? MODEL(isspace)(c)
               : how->kind == '[' ? !in_set(set, end_of_set, (byte)c)
                                  : 0;
    if (stop | end) {
      leave(from, c);
      if (!any && end) return NO_INPUT;
      break;
    }
    keep(from);
    any = 1;
    if (to) *to++ = (char)c;
  }
  if (!any) return NO_MATCH;
  if (to && how->kind != 'c') *to = 0;
  return CONVERTED;
}

static void skip_space(struct source *from) {
  for (;;) {
    int c = look(from);
    if (!MODEL(isspace)(c)) {
      leave(from, c);
      return;
    }
    keep(from);
  }
}

static int scan_format(struct source *from, const char *f, va_list list) {
  int done = 0;
  while (*f) {
    if (MODEL(isspace)((byte)*f)) {
      skip_space(from);
      f++;
      continue;
    }
    struct conversion how = {0, 0, 0, '%'};
    int literal = (byte)*f++;
    if (literal == '%') f = read_conversion(f, &how);
    if (how.kind == '%') {
      if (literal == '%') skip_space(from);
      int c = look(from);
      if (c == literal) {
        keep(from);
        continue;
      }
      leave(from, c);
      return is_end(from, c) && !done ? EOF : done;
    }
    const char *set = f, *end = f;
    if (how.kind == '[') {
      end = set_end(f);
      f = end + 1;
    }
    void *to = how.suppressed ? NULL : va_arg(list, void *);
    if (how.kind == 'n') {
      if (to) store_number(to, how.length, (unsigned long)from->taken);
      continue;
    }
    int text = how.kind == 'c' || how.kind == '[';
    if (!text) skip_space(from);
    int result = text || how.kind == 's'     ? convert_text(from, &how, set, end, to)
                 : is_one_of(how.kind, REALS) ? convert_real(from, &how, to)
                                           : convert_number(from, &how, to);
    if (result == NO_INPUT) return done ? done : EOF;
    if (result == NO_MATCH) return done;
    if (to) done++;
  }
  return done;
}

int MODEL(vsscanf)(const char *s, const char *format, va_list list) {
  if (CONCRETE_STRING(s) && CONCRETE_STRING(format)) return vsscanf(s, format, list);
  if (!supported(format)) {
    __labrys_unseen("sscanf");
    return vsscanf(s, format, list);
  }
  struct source from = {(const byte *)s, NULL, 0};
  return scan_format(&from, format, list);
}

int MODEL(vfscanf)(FILE *f, const char *format, va_list list) {
  if (!__labrys_reads_input(f) && CONCRETE_STRING(format)) return vfscanf(f, format, list);
  if (!supported(format)) {
    __labrys_unseen("fscanf");
    return vfscanf(f, format, list);
  }
  struct source from = {NULL, f, 0};
  return scan_format(&from, format, list);
}

int MODEL(vscanf)(const char *format, va_list list) {
  return MODEL(vfscanf)(stdin, format, list);
}

#define WITH_LIST(last, call)      \
  va_list list;                    \
  va_start(list, last);            \
  int result = call;               \
  va_end(list);                    \
  return result

int MODEL(sscanf)(const char *s, const char *format, ...) {
  WITH_LIST(format, MODEL(vsscanf)(s, format, list));
}
int MODEL(fscanf)(FILE *f, const char *format, ...) {
  WITH_LIST(format, MODEL(vfscanf)(f, format, list));
}
int MODEL(scanf)(const char *format, ...) {
  WITH_LIST(format, MODEL(vfscanf)(stdin, format, list));
}
