/* Library functions in plain C, instrumented with the program, so that decisions on input
 * inside the library are decisions that the search sees.
 *
 * A model of NAME is __labrys_m_NAME; calls of NAME in the program are redirected to it. Where
 * no byte involved carries a label the model calls the library's own function: models cost
 * nothing on concrete data. Calls inside models are never redirected.
 */

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef unsigned char byte;

/* Does no byte of [p, p + size) carry a label? */
extern int __labrys_concrete(const void *p, size_t size);

#define MODEL(name) __labrys_m_##name
#define CONCRETE_STRING(s) __labrys_concrete(s, strlen(s) + 1)

size_t MODEL(strlen)(const char *s) {
  if (CONCRETE_STRING(s)) return strlen(s);
  size_t n = 0;
  while (s[n]) n++;
  return n;
}

size_t MODEL(strnlen)(const char *s, size_t max) {
  if (__labrys_concrete(s, strnlen(s, max))) return strnlen(s, max);
  size_t n = 0;
  while (n < max && s[n]) n++;
  return n;
}

char *MODEL(strchr)(const char *s, int c) {
  if (CONCRETE_STRING(s)) return strchr(s, c);
  for (;; s++) {
    if (*s == (char)c) return (char *)s;
    if (!*s) return NULL;
  }
}

char *MODEL(strchrnul)(const char *s, int c) {
  while (*s && *s != (char)c) s++;
  return (char *)s;
}

char *MODEL(strrchr)(const char *s, int c) {
  if (CONCRETE_STRING(s)) return strrchr(s, c);
  const char *found = NULL;
  for (;; s++) {
    if (*s == (char)c) found = s;
    if (!*s) return (char *)found;
  }
}

void *MODEL(memchr)(const void *p, int c, size_t n) {
  const byte *s = p;
  const byte *hit = memchr(p, c, n);
  if (__labrys_concrete(p, hit ? (size_t)(hit - s) + 1 : n)) return (void *)hit;
  for (size_t i = 0; i < n; i++)
    if (s[i] == (byte)c) return (void *)(s + i);
  return NULL;
}

void *MODEL(memrchr)(const void *p, int c, size_t n) {
  const byte *s = p;
  while (n-- > 0)
    if (s[n] == (byte)c) return (void *)(s + n);
  return NULL;
}

void *MODEL(rawmemchr)(const void *p, int c) {
  const byte *s = p;
  while (*s != (byte)c) s++;
  return (void *)s;
}

char *MODEL(stpcpy)(char *to, const char *from) {
  while ((*to = *from)) to++, from++;
  return to;
}

char *MODEL(strcpy)(char *to, const char *from) {
  MODEL(stpcpy)(to, from);
  return to;
}

char *MODEL(strncpy)(char *to, const char *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i]; i++) to[i] = from[i];
  for (; i < n; i++) to[i] = 0;
  return to;
}

char *MODEL(strcat)(char *to, const char *from) {
  MODEL(stpcpy)(to + MODEL(strlen)(to), from);
  return to;
}

char *MODEL(strncat)(char *to, const char *from, size_t n) {
  char *end = to + MODEL(strlen)(to);
  size_t i = 0;
  for (; i < n && from[i]; i++) end[i] = from[i];
  end[i] = 0;
  return to;
}

extern void *__labrys_w_malloc(size_t size);

char *MODEL(strndup)(const char *s, size_t max) {
  size_t n = MODEL(strnlen)(s, max);
  char *copy = __labrys_w_malloc(n + 1);
  if (!copy) return NULL;
  for (size_t i = 0; i < n; i++) copy[i] = s[i];
  copy[n] = 0;
  return copy;
}

char *MODEL(strdup)(const char *s) { return MODEL(strndup)(s, SIZE_MAX); }

size_t MODEL(strspn)(const char *s, const char *accept) {
  size_t n = 0;
  for (; s[n]; n++)
    if (!MODEL(strchr)(accept, s[n])) break;
  return n;
}

size_t MODEL(strcspn)(const char *s, const char *reject) {
  size_t n = 0;
  for (; s[n]; n++)
    if (MODEL(strchr)(reject, s[n])) break;
  return n;
}

char *MODEL(strpbrk)(const char *s, const char *accept) {
  s += MODEL(strcspn)(s, accept);
  return *s ? (char *)s : NULL;
}

extern int __labrys_w_strncmp(const char *a, const char *b, size_t n);
extern int __labrys_w_memcmp(const void *a, const void *b, size_t n);

char *MODEL(strstr)(const char *s, const char *needle) {
  size_t n = MODEL(strlen)(needle);
  for (;; s++) {
    if (!__labrys_w_strncmp(s, needle, n)) return (char *)s;
    if (!*s) return NULL;
  }
}

void *MODEL(memmem)(const void *p, size_t size, const void *needle, size_t n) {
  const byte *s = p;
  if (n > size) return NULL;
  for (size_t i = 0; i + n <= size; i++)
    if (!__labrys_w_memcmp(s + i, needle, n)) return (void *)(s + i);
  return NULL;
}

char *MODEL(strtok_r)(char *s, const char *separators, char **next) {
  if (!s) s = *next;
  s += MODEL(strspn)(s, separators);
  if (!*s) {
    *next = s;
    return NULL;
  }
  char *end = s + MODEL(strcspn)(s, separators);
  if (*end) *end++ = 0;
  *next = end;
  return s;
}

char *MODEL(strtok)(char *s, const char *separators) {
  static char *next;
  return MODEL(strtok_r)(s, separators, &next);
}

int MODEL(tolower)(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }
int MODEL(toupper)(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c; }

/* Case folding without a decision per byte: the comparison is the decision. */
static int fold(byte c) { return c + (((unsigned)c - 'A' < 26u) << 5); }

int MODEL(strncasecmp)(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    int x = fold((byte)a[i]), y = fold((byte)b[i]);
    if (x != y) return x - y;
    if (!a[i]) break;
  }
  return 0;
}

int MODEL(strcasecmp)(const char *a, const char *b) {
  return MODEL(strncasecmp)(a, b, SIZE_MAX);
}

/* The classification functions of the C locale, as range checks. */
#define RANGE(c, from, to) ((unsigned)(c) - (from) <= (unsigned)(to) - (from))
int MODEL(isdigit)(int c) { return RANGE(c, '0', '9'); }
int MODEL(isupper)(int c) { return RANGE(c, 'A', 'Z'); }
int MODEL(islower)(int c) { return RANGE(c, 'a', 'z'); }
int MODEL(isalpha)(int c) { return RANGE(c | 32, 'a', 'z') & (c >= 0 && c < 128); }
int MODEL(isalnum)(int c) { return MODEL(isalpha)(c) | MODEL(isdigit)(c); }
int MODEL(isspace)(int c) { return (c == ' ') | RANGE(c, '\t', '\r'); }
int MODEL(isblank)(int c) { return (c == ' ') | (c == '\t'); }
int MODEL(isxdigit)(int c) { return RANGE(c, '0', '9') | RANGE(c, 'A', 'F') | RANGE(c, 'a', 'f'); }
int MODEL(iscntrl)(int c) { return RANGE(c, 0, 31) | (c == 127); }
int MODEL(isprint)(int c) { return RANGE(c, 32, 126); }
int MODEL(isgraph)(int c) { return RANGE(c, 33, 126); }
int MODEL(ispunct)(int c) { return RANGE(c, 33, 126) & !MODEL(isalnum)(c); }

/* Digits of a number: value below 36, or 99. */
static unsigned digit(byte c) {
  if (RANGE(c, '0', '9')) return c - '0';
  if (RANGE(c, 'a', 'z')) return c - 'a' + 10u;
  if (RANGE(c, 'A', 'Z')) return c - 'A' + 10u;
  return 99;
}

/* Scans [space][sign][0x]digits; the magnitude saturates at `limit` (or -limit-1 for a negative
 * number of a signed type) and sets errno. */
static unsigned long scan(const char *s, char **end, int base, unsigned long positive,
                          unsigned long negative, int *is_negative) {
  const char *start = s;
  int overflow = 0, any = 0;
  unsigned long value = 0;
  *is_negative = 0;
  if (base < 0 || base == 1 || base > 36) {
    errno = EINVAL;
    return 0;
  }
  while (MODEL(isspace)((byte)*s)) s++;
  if (*s == '-') {
    *is_negative = 1;
    s++;
  } else if (*s == '+')
    s++;
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] | 32) == 'x' && digit((byte)s[2]) < 16) {
    s += 2;
    base = 16;
  } else if (base == 0)
    base = *s == '0' ? 8 : 10;
  unsigned long limit = *is_negative ? negative : positive;
  for (;; s++) {
    unsigned d = digit((byte)*s);
    if (d >= (unsigned)base) break;
    any = 1;
    if (value > (limit - d) / (unsigned)base) overflow = 1;
    value = value * (unsigned)base + d;
  }
  if (end) *end = (char *)(any ? s : start);
  if (overflow) {
    errno = ERANGE;
    return limit;
  }
  return value;
}

long MODEL(strtol)(const char *s, char **end, int base) {
  int minus;
  if (CONCRETE_STRING(s)) return strtol(s, end, base);
  unsigned long v = scan(s, end, base, LONG_MAX, (unsigned long)LONG_MAX + 1, &minus);
  return (long)(minus ? -v : v);
}

unsigned long MODEL(strtoul)(const char *s, char **end, int base) {
  int minus;
  if (CONCRETE_STRING(s)) return strtoul(s, end, base);
  unsigned long v = scan(s, end, base, ULONG_MAX, ULONG_MAX, &minus);
  return minus && v != ULONG_MAX ? -v : v;
}

long long MODEL(strtoll)(const char *s, char **end, int base) { return MODEL(strtol)(s, end, base); }
unsigned long long MODEL(strtoull)(const char *s, char **end, int base) {
  return MODEL(strtoul)(s, end, base);
}
int MODEL(atoi)(const char *s) { return (int)MODEL(strtol)(s, NULL, 10); }
long MODEL(atol)(const char *s) { return MODEL(strtol)(s, NULL, 10); }
long long MODEL(atoll)(const char *s) { return MODEL(strtol)(s, NULL, 10); }
