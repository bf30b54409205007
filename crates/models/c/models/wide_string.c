/* Strings of wide characters, and reading them. */

size_t MODEL(wcslen)(const wchar_t *s) {
  size_t n = 0;
  while (s[n]) n++;
  return n;
}

size_t MODEL(wcsnlen)(const wchar_t *s, size_t most) {
  size_t n = 0;
  while (n < most && s[n]) n++;
  return n;
}

/* wchar_t has a sign. */
static int wide_order(wchar_t a, wchar_t b) { return (a > b) - (a < b); }

int MODEL(wcsncmp)(const wchar_t *a, const wchar_t *b, size_t n) {
  for (; n > 0; n--, a++, b++)
    if (*a != *b || !*a) return wide_order(*a, *b);
  return 0;
}
int MODEL(wcscmp)(const wchar_t *a, const wchar_t *b) { return MODEL(wcsncmp)(a, b, SIZE_MAX); }

int MODEL(wmemcmp)(const wchar_t *a, const wchar_t *b, size_t n) {
  for (; n > 0; n--, a++, b++)
    if (*a != *b) return wide_order(*a, *b);
  return 0;
}

int MODEL(wcsncasecmp)(const wchar_t *a, const wchar_t *b, size_t n) {
  for (; n > 0; n--, a++, b++) {
    wint_t x = MODEL(towlower)((wint_t)*a), y = MODEL(towlower)((wint_t)*b);
    if (x != y || !*a) return (int)(x - y);
  }
  return 0;
}
int MODEL(wcscasecmp)(const wchar_t *a, const wchar_t *b) {
  return MODEL(wcsncasecmp)(a, b, SIZE_MAX);
}

wchar_t *MODEL(wcschr)(const wchar_t *s, wchar_t c) {
  for (;; s++) {
    if (*s == c) return (wchar_t *)s;
    if (!*s) return NULL;
  }
}

wchar_t *MODEL(wcschrnul)(const wchar_t *s, wchar_t c) {
  while (*s && *s != c) s++;
  return (wchar_t *)s;
}

wchar_t *MODEL(wcsrchr)(const wchar_t *s, wchar_t c) {
  const wchar_t *found = NULL;
  for (;; s++) {
    if (*s == c) found = s;
    if (!*s) return (wchar_t *)found;
  }
}

wchar_t *MODEL(wmemchr)(const wchar_t *s, wchar_t c, size_t n) {
  for (; n > 0; n--, s++)
    if (*s == c) return (wchar_t *)s;
  return NULL;
}

wchar_t *MODEL(wcsstr)(const wchar_t *s, const wchar_t *word) {
  size_t n = MODEL(wcslen)(word);
  for (;; s++) {
    if (MODEL(wcsncmp)(s, word, n) == 0) return (wchar_t *)s;
    if (!*s) return NULL;
  }
}

/* How many characters at the begin of `s` are (or are not) in the set. */
static size_t wide_span(const wchar_t *s, const wchar_t *set, int in) {
  size_t n = 0;
  while (s[n] && (MODEL(wcschr)(set, s[n]) != NULL) == in) n++;
  return n;
}
size_t MODEL(wcsspn)(const wchar_t *s, const wchar_t *set) { return wide_span(s, set, 1); }
size_t MODEL(wcscspn)(const wchar_t *s, const wchar_t *set) { return wide_span(s, set, 0); }
wchar_t *MODEL(wcspbrk)(const wchar_t *s, const wchar_t *set) {
  s += wide_span(s, set, 0);
  return *s ? (wchar_t *)s : NULL;
}

wchar_t *MODEL(wmemcpy)(wchar_t *to, const wchar_t *from, size_t n) {
  return __labrys_w_memcpy(to, from, n * sizeof *to);
}
wchar_t *MODEL(wmemset)(wchar_t *to, wchar_t c, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] = c;
  return to;
}

wchar_t *MODEL(wcpcpy)(wchar_t *to, const wchar_t *from) {
  while ((*to = *from)) to++, from++;
  return to;
}
wchar_t *MODEL(wcscpy)(wchar_t *to, const wchar_t *from) {
  MODEL(wcpcpy)(to, from);
  return to;
}
wchar_t *MODEL(wcsncpy)(wchar_t *to, const wchar_t *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i]; i++) to[i] = from[i];
  for (; i < n; i++) to[i] = 0;
  return to;
}
wchar_t *MODEL(wcscat)(wchar_t *to, const wchar_t *from) {
  MODEL(wcpcpy)(to + MODEL(wcslen)(to), from);
  return to;
}
wchar_t *MODEL(wcsncat)(wchar_t *to, const wchar_t *from, size_t n) {
  size_t start = MODEL(wcslen)(to), i = 0;
  for (; i < n && from[i]; i++) to[start + i] = from[i];
  to[start + i] = 0;
  return to;
}
wchar_t *MODEL(wcsdup)(const wchar_t *s) {
  size_t size = (MODEL(wcslen)(s) + 1) * sizeof *s;
  wchar_t *copy = __labrys_w_malloc(size);
  return copy ? __labrys_w_memcpy(copy, s, size) : NULL;
}

/* The text of a wide number in bytes, for the models of numbers: what cannot be part of one is
 * a character that ends them. Returns 0 if it is longer than any number of ours. */
static int narrow_number(const wchar_t *s, char *to, size_t room) {
  size_t i = 0;
  for (; i + 1 < room && s[i]; i++) {
    if ((unsigned)s[i] >= 0x80) break;
    to[i] = (char)s[i];
  }
  to[i] = 0;
  return i + 1 < room;
}

#define WIDE_NUMBER(name, narrow, type)                                   \
  type MODEL(name)(const wchar_t *s, wchar_t **end, int base) {           \
    char text[80], *stop;                                                 \
    if (__labrys_concrete(s, (wcslen(s) + 1) * sizeof *s) ||              \
        !narrow_number(s, text, sizeof text)) {                           \
      if (end) __labrys_unlabel(end, sizeof *end);                        \
      if (!__labrys_concrete(s, (wcslen(s) + 1) * sizeof *s))             \
        __labrys_unseen(#name);                                           \
      return name(s, end, base);                                          \
    }                                                                     \
    type value = MODEL(narrow)(text, &stop, base);                        \
    if (end) *end = (wchar_t *)s + (stop - text);                         \
    return value;                                                         \
  }
WIDE_NUMBER(wcstol, strtol, long)
WIDE_NUMBER(wcstoll, strtoll, long long)
WIDE_NUMBER(wcstoul, strtoul, unsigned long)
WIDE_NUMBER(wcstoull, strtoull, unsigned long long)

wchar_t *MODEL(fgetws)(wchar_t *to, int room, FILE *f) {
  int n = 0;
  if (!__labrys_reads_input(f)) {
    wchar_t *line = fgetws(to, room, f);
    if (line) __labrys_unlabel(to, (wcslen(to) + 1) * sizeof *to);
    return line;
  }
  while (n < room - 1) {
    wint_t c = __labrys_w_fgetwc(f);
    if (c == WEOF) {
      if (n == 0 || ferror(f)) return NULL;
      break;
    }
    to[n++] = (wchar_t)c;
    if (c == L'\n') break;
  }
  if (room > 0) to[n] = 0;
  return room > 0 ? to : NULL;
}
