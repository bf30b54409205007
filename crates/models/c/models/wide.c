/* Wide characters: complete characters of the C and the UTF-8 locales. What needs the state of
 * a conversion (a character that goes on in the next call) is left to the library. */

enum { OTHER, ASCII, UTF8 };

static int encoding(void) {
  const char *name = nl_langinfo(CODESET);
  if (!strcmp(name, "UTF-8")) return UTF8;
  return !strcmp(name, "ANSI_X3.4-1968") ? ASCII : OTHER;
}

/* The character of 1 to 4 bytes at `s`: its size, or 0 where the library shall tell. */
static size_t decode(const byte *s, size_t n, unsigned *character) {
  int known = n ? encoding() : OTHER;
  if (known == OTHER) return 0;
  unsigned c = s[0];
  if (c < 0x80) {
    *character = c;
    return 1;
  }
  if (known != UTF8 || c < 0xc2 || c > 0xf4) return 0;
#define NEXT(i) ((s[i] & 0xc0) == 0x80)
  if (c < 0xe0) {
    if (n < 2 || !NEXT(1)) return 0;
    *character = (c & 31) << 6 | (s[1] & 63u);
    return 2;
  }
  if (c < 0xf0) {
    if (n < 3 || !NEXT(1) || !NEXT(2)) return 0;
    unsigned value = (c & 15) << 12 | (s[1] & 63u) << 6 | (s[2] & 63u);
    if (value < 0x800 || (value >= 0xd800 && value < 0xe000)) return 0;
    *character = value;
    return 3;
  }
  if (n < 4 || !NEXT(1) || !NEXT(2) || !NEXT(3)) return 0;
  unsigned value = (c & 7) << 18 | (s[1] & 63u) << 12 | (s[2] & 63u) << 6 | (s[3] & 63u);
  if (value < 0x10000 || value > 0x10ffff) return 0;
  *character = value;
  return 4;
}

/* Bytes at `s` that may be looked at, and whether one of them carries a label. */
static int labelled_bytes(const char *s, size_t n) {
  size_t size = strnlen(s, n < 4 ? n : 4);
  return !__labrys_concrete(s, size < n ? size + 1 : n);
}

size_t MODEL(mbrtowc)(wchar_t *to, const char *s, size_t n, mbstate_t *state) {
  static mbstate_t own;
  unsigned c;
  size_t size;
  if (s && mbsinit(state ? state : &own) && labelled_bytes(s, n) &&
      (size = decode((const byte *)s, n, &c))) {
    if (to) *to = (wchar_t)c;
    return c ? size : 0;
  }
  if (to && s) __labrys_unlabel(to, sizeof *to);
  return mbrtowc(to, s, n, state ? state : &own);
}

size_t MODEL(mbrlen)(const char *s, size_t n, mbstate_t *state) {
  static mbstate_t own;
  return MODEL(mbrtowc)(NULL, s, n, state ? state : &own);
}

/* mbtowc and mblen have a state of their own in the library, which a failure may leave in the
 * middle of a character: from then on they are the library's until they are reset. */
static int mbtowc_failed, mblen_failed;

int MODEL(mbtowc)(wchar_t *to, const char *s, size_t n) {
  unsigned c;
  size_t size;
  if (s && !mbtowc_failed && labelled_bytes(s, n) && (size = decode((const byte *)s, n, &c))) {
    if (to) *to = (wchar_t)c;
    return c ? (int)size : 0;
  }
  if (to && s) __labrys_unlabel(to, sizeof *to);
  int result = mbtowc(to, s, n);
  mbtowc_failed = s && (mbtowc_failed || result < 0);
  return result;
}

int MODEL(mblen)(const char *s, size_t n) {
  unsigned c;
  size_t size;
  if (s && !mblen_failed && labelled_bytes(s, n) && (size = decode((const byte *)s, n, &c)))
    return c ? (int)size : 0;
  int result = mblen(s, n);
  mblen_failed = s && (mblen_failed || result < 0);
  return result;
}

wint_t MODEL(btowc)(int c) {
  if (encoding() != OTHER && (unsigned)c < 0x80) return (wint_t)c;
  return btowc(c);
}

int MODEL(wctob)(wint_t c) {
  if (encoding() != OTHER && c < 0x80) return (int)c;
  return wctob(c);
}

/* Back: a character of ASCII is its byte, whatever stood before it. */
static int is_ascii(wchar_t c) { return encoding() != OTHER && (unsigned)c < 0x80; }

size_t MODEL(wcrtomb)(char *to, wchar_t c, mbstate_t *state) {
  if (!to || (state && !mbsinit(state)) || !is_ascii(c)) return wcrtomb(to, c, state);
  *to = (char)c;
  return 1;
}

int MODEL(wctomb)(char *to, wchar_t c) {
  if (!to || !is_ascii(c)) return wctomb(to, c);
  *to = (char)c;
  return 1;
}

int MODEL(wcwidth)(wchar_t c) {
  if (!is_ascii(c)) return wcwidth(c);
  return c && MODEL(iscntrl)((int)c) ? -1 : c != 0;
}

/* Classes and cases: the letters of ASCII are alike everywhere. */
#define WIDE_CLASS(name, narrow) \
  int MODEL(name)(wint_t c) { return c < 0x80 ? MODEL(narrow)((int)c) : name(c); }
WIDE_CLASS(iswalpha, isalpha)
WIDE_CLASS(iswdigit, isdigit)
WIDE_CLASS(iswalnum, isalnum)
WIDE_CLASS(iswspace, isspace)
WIDE_CLASS(iswupper, isupper)
WIDE_CLASS(iswlower, islower)
WIDE_CLASS(iswpunct, ispunct)
WIDE_CLASS(iswprint, isprint)
WIDE_CLASS(iswgraph, isgraph)
WIDE_CLASS(iswcntrl, iscntrl)
WIDE_CLASS(iswxdigit, isxdigit)
WIDE_CLASS(iswblank, isblank)
wint_t MODEL(towlower)(wint_t c) {
  return c < 0x80 ? (wint_t)MODEL(tolower)((int)c) : towlower(c);
}
wint_t MODEL(towupper)(wint_t c) {
  return c < 0x80 ? (wint_t)MODEL(toupper)((int)c) : towupper(c);
}

/* The copy of a string of multi-byte characters, one by one. */
size_t MODEL(mbsrtowcs)(wchar_t *to, const char **from, size_t n, mbstate_t *state) {
  static mbstate_t own;
  if (!state) state = &own;
  if (!mbsinit(state) || CONCRETE_STRING(*from)) {
    if (to) __labrys_unlabel(to, (strnlen(*from, n) < n ? strnlen(*from, n) + 1 : n) * sizeof *to);
    return mbsrtowcs(to, from, n, state);
  }
  const char *s = *from;
  for (size_t i = 0; !to || i < n; i++) {
    wchar_t c;
    size_t size = MODEL(mbrtowc)(&c, s, MB_LEN_MAX, state);
    if (size > MB_LEN_MAX) {
      errno = EILSEQ;
      if (to) *from = s;
      return (size_t)-1;
    }
    if (to) to[i] = c;
    if (size == 0) {
      if (to) *from = NULL;
      return i;
    }
    s += size;
  }
  *from = s;
  return n;
}

size_t MODEL(mbstowcs)(wchar_t *to, const char *from, size_t n) {
  mbstate_t state;
  memset(&state, 0, sizeof state);
  return MODEL(mbsrtowcs)(to, &from, n, &state);
}
