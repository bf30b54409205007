/* snprintf and its kin: %d %i %u %o %x %X %c %s %p %% with flags, widths, precisions and
 * lengths; other conversions of single numbers are the library's. */

/* Where text goes: counted always, stored while there is room. */
struct sink {
  char *to;
  size_t room;
  size_t count;
};

static void put(struct sink *out, char c) {
  if (out->count + 1 < out->room) out->to[out->count] = c;
  out->count++;
}

static void pad(struct sink *out, char c, long n) {
  while (n-- > 0) put(out, c);
}

struct field {
  int left, plus, space, alternate, zero;
  long width, precision; /* precision -1: none */
  char length;           /* 0, h, H (hh), l, L */
  char kind;
};

/* Reads a field behind its '%'; where it ends, NULL if it is not one of ours. `stars` are the
 * values of its '*'s. */
static const char *read_field(const char *f, struct field *field, va_list *list) {
  *field = (struct field){.precision = -1};
  for (;; f++) {
    if (*f == '-') field->left = 1;
    else if (*f == '+') field->plus = 1;
    else if (*f == ' ') field->space = 1;
    else if (*f == '#') field->alternate = 1;
    else if (*f == '0') field->zero = 1;
    else break;
  }
  if (*f == '*') {
    f++;
    field->width = va_arg(*list, int);
    if (field->width < 0) field->left = 1, field->width = -field->width;
  } else
    while (*f >= '0' && *f <= '9' && field->width < 100000)
      field->width = field->width * 10 + (*f++ - '0');
  if (*f == '.') {
    f++;
    field->precision = 0;
    if (*f == '*') {
      f++;
      field->precision = va_arg(*list, int);
      if (field->precision < 0) field->precision = -1;
    } else
      while (*f >= '0' && *f <= '9' && field->precision < 100000)
        field->precision = field->precision * 10 + (*f++ - '0');
  }
  if (f[0] == 'h' && f[1] == 'h') field->length = 'H', f += 2;
  else if (f[0] == 'l' && f[1] == 'l') field->length = 'l', f += 2;
  else if (*f == 'h') field->length = 'h', f++;
  else if (*f == 'L') field->length = 'L', f++;
  else if (*f == 'l' || *f == 'j' || *f == 'z' || *f == 't' || *f == 'q')
    field->length = 'l', f++;
  field->kind = *f;
  if (!is_one_of(*f, "diuoxXcspeEfFgGaA%")) return NULL;
  if ((*f == 's' || *f == 'c') && field->length) return NULL;
  return f + 1;
}

/* Who prints: these functions; or the library, since nothing is labelled, nothing but numbers whose
 * digits nothing follows, or since there is a field that is not ours. */
enum printer { OURS, NOTHING_LABELLED, REALS_LABELLED, NOT_OURS };

static enum printer printer_of(const char *f, va_list *list) {
  struct field field;
  int labelled = !CONCRETE_STRING(f), reals = 0;
  while (*f) {
    if (*f++ != '%') continue;
    if (!(f = read_field(f, &field, list))) return NOT_OURS;
    if (field.kind == '%') continue;
    if (is_one_of(field.kind, "eEfFgGaA")) {
      if (field.length == 'L')
        (void)va_arg(*list, long double);
      else {
        volatile double v = va_arg(*list, double);
        reals |= !__labrys_concrete((const void *)&v, sizeof v);
      }
    } else if (field.kind == 's') {
      const char *s = va_arg(*list, const char *);
      if (s) labelled |= !concrete_text(s, field.precision >= 0 ? (size_t)field.precision : SIZE_MAX);
    } else if (field.kind == 'p' || field.length == 'l') {
      volatile long v = va_arg(*list, long);
      labelled |= !__labrys_concrete((const void *)&v, sizeof v);
    } else {
      volatile int v = va_arg(*list, int);
      labelled |= !__labrys_concrete((const void *)&v, sizeof v);
    }
  }
  return labelled ? OURS : reals ? REALS_LABELLED : NOTHING_LABELLED;
}

/* Most arguments that are looked at where the library prints. */
#define MOST_PRINTED 32

/* Is an argument labelled? */
static int any_labelled(const char *f, va_list *list) {
  int types[MOST_PRINTED], labelled = 0;
  size_t n = parse_printf_format(f, MOST_PRINTED, types);
  /* With a precision a text may have no end. */
  size_t most = strchr(f, '.') ? 1 : SIZE_MAX;
  for (size_t i = 0; i < n && i < MOST_PRINTED; i++) {
    int type = types[i] & ~PA_FLAG_MASK;
    int wide = types[i] & (PA_FLAG_LONG | PA_FLAG_LONG_LONG);
    if (type == PA_DOUBLE && types[i] & PA_FLAG_LONG_DOUBLE)
      (void)va_arg(*list, long double);
    else if (type == PA_DOUBLE || type == PA_FLOAT) {
      volatile double v = va_arg(*list, double);
      labelled |= !__labrys_concrete((const void *)&v, sizeof v);
    } else if (types[i] & PA_FLAG_PTR)
      (void)va_arg(*list, void *);
    else if (type == PA_STRING) {
      const char *s = va_arg(*list, const char *);
      if (s) labelled |= !concrete_text(s, most);
    } else if (type == PA_WSTRING) {
      const wchar_t *s = va_arg(*list, const wchar_t *);
      if (s) labelled |= !__labrys_concrete(s, sizeof *s * (most == 1 ? 1 : wcslen(s)));
    } else if (type == PA_POINTER || wide) {
      volatile long v = va_arg(*list, long);
      labelled |= !__labrys_concrete((const void *)&v, sizeof v);
    } else {
      volatile int v = va_arg(*list, int);
      labelled |= !__labrys_concrete((const void *)&v, sizeof v);
    }
  }
  return labelled;
}

/* Digits of a value below 2^32 or not, lowest first; how many there are. */
static int digits_of(unsigned long value, unsigned base, int narrow, char *digits,
                     const char *alphabet) {
  int n = 0;
  if (narrow) {
    unsigned rest = (unsigned)value;
    for (; rest; rest /= base) digits[n++] = alphabet[rest % base];
  } else
    for (; value; value /= base) digits[n++] = alphabet[value % base];
  return n;
}

static void put_integer(struct sink *out, const struct field *field, long value) {
  int is_signed = field->kind == 'd' || field->kind == 'i';
  if (field->length == 'H') value = is_signed ? (signed char)value : (unsigned char)value;
  else if (field->length == 'h') value = is_signed ? (short)value : (unsigned short)value;
  else if (field->length != 'l') value = is_signed ? (int)value : (long)(unsigned)value;
  unsigned long magnitude = (unsigned long)value;
  const char *prefix = is_signed && field->plus ? "+" : is_signed && field->space ? " " : "";
  if (is_signed && value < 0) {
    magnitude = -magnitude;
    prefix = "-";
  }
  unsigned base = field->kind == 'o' ? 8 : (field->kind | 32) == 'x' ? 16 : 10;
  const char *alphabet = field->kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  char digits[24];
  int n = digits_of(magnitude, base, field->length != 'l', digits, alphabet);
  if (field->alternate && base == 16 && n) prefix = field->kind == 'X' ? "0X" : "0x";
  long least = field->precision < 0 ? 1 : field->precision;
  if (field->alternate && base == 8 && least <= n) least = n + 1;
  long zeros = n < least ? least - n : 0;
  long used = (long)strlen(prefix) + zeros + n;
  if (field->zero && !field->left && field->precision < 0 && used < field->width) {
    zeros += field->width - used;
    used = field->width;
  }
  if (!field->left) pad(out, ' ', field->width - used);
  while (*prefix) put(out, *prefix++);
  pad(out, '0', zeros);
  while (n > 0) put(out, digits[--n]);
  if (field->left) pad(out, ' ', field->width - used);
}

static void put_string(struct sink *out, const struct field *field, const char *s) {
  if (!s) s = field->precision >= 0 && field->precision < 6 ? "" : "(null)";
  long n = 0;
  while ((field->precision < 0 || n < field->precision) && s[n]) n++;
  if (!field->left) pad(out, ' ', field->width - n);
  for (long i = 0; i < n; i++) put(out, s[i]);
  if (field->left) pad(out, ' ', field->width - n);
}

/* A number that the library prints, from the text of its field. */
static void put_by_library(struct sink *out, const struct field *field, va_list *list) {
  char format[16], text[512];
  char *p = format;
  *p++ = '%';
  if (field->left) *p++ = '-';
  if (field->plus) *p++ = '+';
  if (field->space) *p++ = ' ';
  if (field->alternate) *p++ = '#';
  if (field->zero) *p++ = '0';
  *p++ = '*';
  *p++ = '.';
  *p++ = '*';
  if (field->length == 'L') *p++ = 'L';
  *p++ = field->kind;
  *p = 0;
  int width = (int)field->width, precision = (int)field->precision, n;
  if (field->kind == 'p') {
    /* A precision, even a negative one, means nothing to %p. */
    n = snprintf(text, sizeof text, field->left ? "%-*p" : "%*p", width, va_arg(*list, void *));
  } else if (field->length == 'L')
    n = snprintf(text, sizeof text, format, width, precision, va_arg(*list, long double));
  else
    n = snprintf(text, sizeof text, format, width, precision, va_arg(*list, double));
  __labrys_unlabel(text, sizeof text);
  for (int i = 0; i < n; i++) put(out, i < (int)sizeof text - 1 ? text[i] : ' ');
}

static int format_text(char *to, size_t room, const char *f, va_list *list) {
  struct sink out = {to, room, 0};
  struct field field;
  while (*f) {
    if (*f != '%') {
      put(&out, *f++);
      continue;
    }
    f = read_field(f + 1, &field, list);
    if (field.kind == '%')
      put(&out, '%');
    else if (field.kind == 's')
      put_string(&out, &field, va_arg(*list, const char *));
    else if (field.kind == 'c') {
      int c = va_arg(*list, int);
      if (!field.left) pad(&out, ' ', field.width - 1);
      put(&out, (char)c);
      if (field.left) pad(&out, ' ', field.width - 1);
    } else if (is_one_of(field.kind, "peEfFgGaA"))
      put_by_library(&out, &field, list);
    else if (field.length == 'l')
      put_integer(&out, &field, va_arg(*list, long));
    else
      put_integer(&out, &field, va_arg(*list, int));
  }
  if (room) to[out.count < room ? out.count : room - 1] = 0;
  return (int)out.count;
}

int MODEL(vsnprintf)(char *to, size_t room, const char *format, va_list list) {
  va_list ahead, values;
  va_copy(ahead, list);
  enum printer printer = printer_of(format, &ahead);
  va_end(ahead);
  int result;
  if (printer == NOT_OURS) {
    va_copy(ahead, list);
    if (!CONCRETE_STRING(format) || any_labelled(format, &ahead)) __labrys_unseen("snprintf");
    va_end(ahead);
  }
  if (printer == REALS_LABELLED) __labrys_unseen("snprintf");
  if (printer == OURS) {
    va_copy(values, list);
    result = format_text(to, room, format, &values);
    va_end(values);
    return result;
  }
  result = vsnprintf(to, room, format, list);
  if (room && result >= 0)
    __labrys_unlabel(to, (size_t)result < room ? (size_t)result + 1 : room);
  return result;
}

int MODEL(vsprintf)(char *to, const char *format, va_list list) {
  return MODEL(vsnprintf)(to, INT_MAX, format, list);
}
int MODEL(snprintf)(char *to, size_t room, const char *format, ...) {
  WITH_LIST(format, MODEL(vsnprintf)(to, room, format, list));
}
int MODEL(sprintf)(char *to, const char *format, ...) {
  WITH_LIST(format, MODEL(vsnprintf)(to, INT_MAX, format, list));
}

/* The library tells how much memory the text takes. */
int MODEL(vasprintf)(char **to, const char *format, va_list list) {
  va_list ahead;
  va_copy(ahead, list);
  int size = vsnprintf(NULL, 0, format, ahead);
  va_end(ahead);
  char *text = size < 0 ? NULL : __labrys_w_malloc((size_t)size + 1);
  if (!text) return -1;
  *to = text;
  return MODEL(vsnprintf)(text, (size_t)size + 1, format, list);
}
int MODEL(asprintf)(char **to, const char *format, ...) {
  WITH_LIST(format, MODEL(vasprintf)(to, format, list));
}
int MODEL(__vasprintf_chk)(char **to, int flag, const char *format, va_list list) {
  (void)flag;
  return MODEL(vasprintf)(to, format, list);
}
int MODEL(__asprintf_chk)(char **to, int flag, const char *format, ...) {
  (void)flag;
  WITH_LIST(format, MODEL(vasprintf)(to, format, list));
}

/* The forms that _FORTIFY_SOURCE calls. */
int MODEL(__vsnprintf_chk)(char *to, size_t room, int flag, size_t size, const char *format,
                           va_list list) {
  (void)flag, (void)size;
  return MODEL(vsnprintf)(to, room, format, list);
}
int MODEL(__vsprintf_chk)(char *to, int flag, size_t size, const char *format, va_list list) {
  (void)flag;
  return MODEL(vsnprintf)(to, size < INT_MAX ? size : INT_MAX, format, list);
}
int MODEL(__snprintf_chk)(char *to, size_t room, int flag, size_t size, const char *format, ...) {
  (void)flag, (void)size;
  WITH_LIST(format, MODEL(vsnprintf)(to, room, format, list));
}
int MODEL(__sprintf_chk)(char *to, int flag, size_t size, const char *format, ...) {
  (void)flag;
  WITH_LIST(format, MODEL(vsnprintf)(to, size < INT_MAX ? size : INT_MAX, format, list));
}
