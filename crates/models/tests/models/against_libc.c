/* What the models need of the runtime, and a driver: each model against the library's function
 * on random and on boundary inputs. Nothing is concrete here, so every model does its own work. */
#include "../../c/models.c"

int __labrys_concrete(const void *p, size_t size) {
  (void)p, (void)size;
  return 0;
}
void __labrys_unlabel(const void *p, size_t size) { (void)p, (void)size; }
void __labrys_unseen(const char *function) {}
void __labrys_compared(const char *a, const char *b, size_t n) { (void)a, (void)b, (void)n; }
int __labrys_reads_input(FILE *f) { return f != NULL; }
void *__labrys_w_malloc(size_t size) { return malloc(size); }
void __labrys_w_free(void *p) { free(p); }
int __labrys_w_strncmp(const char *a, const char *b, size_t n) { return strncmp(a, b, n); }
int __labrys_w_memcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }
void *__labrys_w_memcpy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
int __labrys_w_fgetc(FILE *f) { return fgetc(f); }
wint_t __labrys_w_fgetwc(FILE *f) { return fgetwc(f); }

#include <math.h>
double __labrys_w_trunc(double x) { return trunc(x); }
float __labrys_w_truncf(float x) { return truncf(x); }
double __labrys_w_sin(double x) { return sin(x); }
float __labrys_w_sinf(float x) { return sinf(x); }
double __labrys_w_cos(double x) { return cos(x); }
float __labrys_w_cosf(float x) { return cosf(x); }
double __labrys_w_lgamma(double x) { return lgamma(x); }
float __labrys_w_lgammaf(float x) { return lgammaf(x); }
double __labrys_w_fmod(double x, double y) { return fmod(x, y); }
float __labrys_w_fmodf(float x, float y) { return fmodf(x, y); }
int __labrys_w_ungetc(int c, FILE *f) { return ungetc(c, f); }

#include <locale.h>
#include <unistd.h>

static unsigned long seed = 88172645463325252UL;
static unsigned random_below(unsigned n) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (unsigned)(seed >> 32) % n;
}

static int problems;
#define CHECK(what, ok, ...)                      \
  do {                                            \
    if (!(ok) && problems++ < 20) {               \
      printf("%s: ", what);                       \
      printf(__VA_ARGS__);                        \
      printf("\n");                               \
    }                                             \
  } while (0)
#define SIGN(x) (((x) > 0) - ((x) < 0))
#define SAME(what, a, b, ...) CHECK(what, (a) == (b), __VA_ARGS__)

/* A random string of these characters, with room for `most` of them. */
static void text(char *to, unsigned most, const char *alphabet) {
  unsigned n = random_below(most + 1), size = (unsigned)strlen(alphabet);
  for (unsigned i = 0; i < n; i++) to[i] = alphabet[random_below(size)];
  to[n] = 0;
}

static void strings(void) {
  char a[40], b[40], x[100], y[100];
  text(a, 20, "abAB,; ");
  text(b, 3, "abAB,; ");
  size_t n = random_below(25);
  int c = "abAB,;\0"[random_below(7)];
#define STRING(f, ...) SAME(#f, MODEL(f)(__VA_ARGS__), f(__VA_ARGS__), "'%s' '%s' %d %zu", a, b, c, n)
  STRING(strlen, a);
  STRING(strnlen, a, n);
  STRING(strchr, a, c);
  STRING(strchrnul, a, c);
  STRING(strrchr, a, c);
  STRING(memchr, a, c, strlen(a) + 1);
  STRING(memrchr, a, c, strlen(a) + 1);
  STRING(rawmemchr, a, 0);
  STRING(strspn, a, b);
  STRING(strcspn, a, b);
  STRING(strpbrk, a, b);
  STRING(strstr, a, b);
  STRING(strcasestr, a, b);
  STRING(memmem, a, strlen(a), b, strlen(b));
#define ORDER(f, ...) \
  SAME(#f, SIGN(MODEL(f)(__VA_ARGS__)), SIGN(f(__VA_ARGS__)), "'%s' '%s' %zu", a, b, n)
  ORDER(strcasecmp, a, b);
  ORDER(strncasecmp, a, b, n);
  char older[20], newer[20];
  text(older, 6, "0019a.");
  text(newer, 6, "0019a.");
  SAME("strverscmp", SIGN(MODEL(strverscmp)(older, newer)), SIGN(strverscmp(older, newer)),
       "'%s' '%s'", older, newer);
  ORDER(strncasecmp, a, a + 1 - !*a, n);
#define WRITES(f, ...)                                                               \
  do {                                                                               \
    memset(x, '#', sizeof x), memset(y, '#', sizeof y);                              \
    strcpy(x, "ab"), strcpy(y, "ab");                                                \
    char *to = x;                                                                    \
    long p = (long)((char *)MODEL(f)(__VA_ARGS__) - x);                              \
    to = y;                                                                          \
    long q = (long)((char *)f(__VA_ARGS__) - y);                                     \
    CHECK(#f, p == q || (p < 0 && q < 0), "'%s' %zu: %ld %ld", a, n, p, q);          \
    CHECK(#f, !memcmp(x, y, sizeof x), "'%s' %zu: '%.50s' '%.50s'", a, n, x, y);     \
  } while (0)
  WRITES(strcpy, to, a);
  WRITES(stpcpy, to, a);
  WRITES(strncpy, to, a, n);
  WRITES(stpncpy, to, a, n);
  WRITES(strcat, to, a);
  WRITES(strncat, to, a, n);
  char *copies[] = {MODEL(strdup)(a), MODEL(strndup)(a, n), strndup(a, n)};
  CHECK("strdup", !strcmp(copies[0], a) && !strcmp(copies[1], copies[2]), "'%s' %zu", a, n);
  for (int i = 0; i < 3; i++) free(copies[i]);
  char *s = x, *t = y, *u, *v, *nu, *nv;
  strcpy(x, a), strcpy(y, a);
  for (u = MODEL(strtok_r)(x, b, &nu), v = strtok_r(y, b, &nv); u && v;
       u = MODEL(strtok_r)(NULL, b, &nu), v = strtok_r(NULL, b, &nv))
    CHECK("strtok_r", u - x == v - y && !strcmp(u, v), "'%s' '%s': '%s' '%s'", a, b, u, v);
  SAME("strtok_r", !u, !v, "'%s' '%s'", a, b);
  strcpy(x, a), strcpy(y, a);
  do {
    u = MODEL(strsep)(&s, b), v = strsep(&t, b);
    CHECK("strsep", !u == !v && (!u || !strcmp(u, v)), "'%s' '%s'", a, b);
  } while (u && v);
}

static void characters(void) {
#define CLASS(f) SAME(#f, !MODEL(f)(c), !f(c), "%d", c)
  for (int c = -1; c < 256; c++) {
    CLASS(isdigit); CLASS(isupper); CLASS(islower); CLASS(isalpha); CLASS(isalnum);
    CLASS(isspace); CLASS(isblank); CLASS(isxdigit); CLASS(iscntrl); CLASS(isprint);
    CLASS(isgraph); CLASS(ispunct);
    SAME("tolower", MODEL(tolower)(c), tolower(c), "%d", c);
    SAME("toupper", MODEL(toupper)(c), toupper(c), "%d", c);
  }
}

/* The same of both: result, end, errno. */
#define NUMBER(f, type, ...)                                                            \
  do {                                                                                  \
    char *end = NULL, *own = NULL;                                                      \
    errno = 0;                                                                          \
    type x = MODEL(f)(__VA_ARGS__ &own EXTRA);                                          \
    int e = errno;                                                                      \
    errno = 0;                                                                          \
    type y = f(__VA_ARGS__ &end EXTRA);                                                 \
    CHECK(#f, !memcmp(&x, &y, sizeof x) && own == end && e == errno,                    \
          "'%s' base %d: %.17g %.17g, end %ld %ld, errno %d %d", a, base, (double)x,    \
          (double)y, (long)(own - a), (long)(end - a), e, errno);                       \
  } while (0)

static void numbers(void) {
  static const char *const EDGES[] = {
      "9223372036854775807", "9223372036854775808", "-9223372036854775808",
      "-9223372036854775809", "18446744073709551615", "18446744073709551616",
      "-18446744073709551615", "-18446744073709551616", "0x", "0xg", " \t\n-0x7f", "+", "-", "",
      "0x8000000000000000", "00000000000000000000000000000000000009", "99999999999999999999999",
      "1777777777777777777777", "2000000000000000000000", "1y2p0ij32e8e7", "1y2p0ij32e8e8",
      "3w5e11264sgsf", "3w5e11264sgsg", "- 1", "0X1F", "08"};
  static const char *const DECIMALS[] = {"1.5", ".5", "5.", ".", "1e", "1e+", "1e5", "-1e-5",
      "0x1p3", "nan", "inf", "1e22", "1e23", "1.7976931348623157e308", "9007199254740993",
      "123456789012345678", "0.1", "3.14159265358979", "1e-22", "000.000", "-0", "-.0e5",
      "  +2.5x", "1e400", "4.35", "0.3e1", "infinity", "-INFINITY", "+iNfinit", "in", "-nAn", "nan(1)",
      "na", "0x", "-0x", "0xg", "0x.8", "0x10", " -0X1f.", "0x1fffffffffffff", "0xfffffffffffff",
      "0x1234567", "0x12345678p1", "00x1"};
  char a[60];
  int base = random_below(3) ? (int)random_below(36) + 2 : random_below(2) ? 10 : 0;
  unsigned pick = random_below(2 * sizeof EDGES / sizeof *EDGES);
  if (pick < sizeof EDGES / sizeof *EDGES)
    strcpy(a, EDGES[pick]);
  else
    text(a, 24, random_below(2) ? "0123456789" : "0123456789abcxzXZ +-");
#define EXTRA , base
  NUMBER(strtol, long, a,);
  NUMBER(strtoul, unsigned long, a,);
  NUMBER(strtoll, long long, a,);
  base = (int[]){-1, 1, 37}[random_below(3)];
  NUMBER(strtol, long, a,);
#undef EXTRA
#define EXTRA
  SAME("atoi", MODEL(atoi)(a), atoi(a), "'%s'", a);
  pick = random_below(3 * sizeof DECIMALS / sizeof *DECIMALS);
  if (pick < sizeof DECIMALS / sizeof *DECIMALS)
    strcpy(a, DECIMALS[pick]);
  else
    text(a, 12, (const char *[]){"0123456789.", "0123456789.e-+ ", "0xX1fF.p- ", "inftyaINF -"}[random_below(4)]);
  NUMBER(strtod, double, a,);
  NUMBER(strtof, float, a,);
}

#include "addresses.c"

static int bytes_order(const void *a, const void *b) {
  return (*(const byte *)a & 0xf0) - (*(const byte *)b & 0xf0);
}

static void sorting(void) {
  byte a[60], b[60];
  size_t size = 1 + random_below(3), n = random_below(20);
  for (size_t i = 0; i < sizeof a; i++) a[i] = b[i] = (byte)random_below(256);
  MODEL(qsort)(a, n, size, bytes_order);
  qsort(b, n, size, bytes_order);
  CHECK("qsort", !memcmp(a, b, sizeof a), "%zu of %zu", n, size);
  byte key = (byte)random_below(256);
  byte *x = MODEL(bsearch)(&key, b, n, size, bytes_order), *y = bsearch(&key, b, n, size, bytes_order);
  CHECK("bsearch", !x == !y && (!x || !bytes_order(x, y)), "%zu of %zu", n, size);
}

static void scanning(void) {
  static const char *const FORMATS[] = {
      "%d", "%i", "%u", "%x", "%o", "%3d%2d", "%hd %hhd %ld", "%d.%d", "%*d %d", "%d%n", "%i,%i",
      " %x %%", "%2x%2x%n", "x%dy%d", "%X:%i"};
  static const char *const WORDS[] = {"%s", "%3s%s", "%[0-9a]%s", "%[^ ,]", "%*[x] %s", "%c%c",
                                      "%3c", " %c %2s", "%[]a]%s", "%[a-]%s", "%*s %s", "%s%n"};
  char a[40];
  text(a, 14, random_below(2) ? "0123456789" : "0123789abxX -+,.%:");
  long x[4], y[4];
  const char *f = FORMATS[random_below(sizeof FORMATS / sizeof *FORMATS)];
  memset(x, 7, sizeof x), memset(y, 7, sizeof y);
  int p = MODEL(sscanf)(a, f, &x[0], &x[1], &x[2], &x[3]), q = sscanf(a, f, &y[0], &y[1], &y[2], &y[3]);
  CHECK("sscanf", p == q && !memcmp(x, y, sizeof x), "'%s' '%s': %d %d, %lx %lx", a, f, p, q, x[0], y[0]);
  char s[3][40], t[3][40];
  memset(s, '#', sizeof s), memset(t, '#', sizeof t);
  f = WORDS[random_below(sizeof WORDS / sizeof *WORDS)];
  p = MODEL(sscanf)(a, f, s[0], s[1], s[2]), q = sscanf(a, f, t[0], t[1], t[2]);
  CHECK("sscanf", p == q && !memcmp(s, t, sizeof s), "'%s' '%s': %d %d", a, f, p, q);
  FILE *m = fmemopen(a, strlen(a) + !*a, "r"), *n = fmemopen(a, strlen(a) + !*a, "r");
  if (!*a) fgetc(m), fgetc(n);
  memset(s, '#', sizeof s), memset(t, '#', sizeof t);
  p = MODEL(fscanf)(m, f, s[0], s[1], s[2]), q = fscanf(n, f, t[0], t[1], t[2]);
  CHECK("fscanf", p == q && !memcmp(s, t, sizeof s) && ftell(m) == ftell(n),
        "'%s' '%s': %d %d, at %ld %ld", a, f, p, q, ftell(m), ftell(n));
  fclose(m), fclose(n);
}

#include "reals.c"

static void printing(void) {
  static const char LENGTHS[][3] = {"", "h", "hh", "l", "ll"};
  char format[40], x[60], y[60], flags[6];
  memset(x, '#', sizeof x), memset(y, '#', sizeof y);
  size_t room = random_below(40);
  text(flags, 3, "-+ #0");
  int n = sprintf(format, "<%%%s", flags);
  if (random_below(2)) n += sprintf(format + n, "%u", random_below(15) + 1);
  if (random_below(3) == 0) n += sprintf(format + n, ".%u", random_below(12));
  const char *l = LENGTHS[random_below(5)];
  long v = (long)((unsigned long)random_below(~0u) << 32 | random_below(~0u)) >> random_below(64);
  int p, q;
  unsigned kind = random_below(9);
  if (kind < 6) {
    sprintf(format + n, "%s%c>%%s|", l, "diuxXo"[kind]);
    p = MODEL(snprintf)(x, room, format, v, "end"), q = snprintf(y, room, format, v, "end");
  } else if (kind == 6) {
    sprintf(format + n, "s>%%d");
    p = MODEL(snprintf)(x, room, format, "minotaur", 7), q = snprintf(y, room, format, "minotaur", 7);
  } else if (kind == 7) {
    sprintf(format + n, "c%%%%>%%p");
    p = MODEL(snprintf)(x, room, format, 'q', x), q = snprintf(y, room, format, 'q', x);
  } else {
    sprintf(format + n, "%c>%%ld", "feg"[random_below(3)]);
    p = MODEL(snprintf)(x, room, format, (double)v / 64, v), q = snprintf(y, room, format, (double)v / 64, v);
  }
  CHECK("snprintf", p == q && !memcmp(x, y, sizeof x), "'%s' %zu %ld: %d %d '%.40s' '%.40s'", format, room, v, p, q, x, y);
}

static void options(void) {
  static const struct option LONG[] = {{"all", 0, NULL, 'a'}, {"alpha", 1, NULL, 'p'}, {"beta", 2, NULL, 'b'}, {NULL, 0, NULL, 0}};
  static const char *const WORDS[] = {"-a", "-bx", "-b", "--", "word", "-", "-ab", "-c", "--all", "--al", "--alpha=7", "--alpha", "--beta", "--beta=1", "--bet", "--all=1", "--none", "-cval"};
  static const char *const LETTERS[] = {"ab:c::", "+ab:", "-abc:", ":ab:c:", "abc"};
  char *x[8] = {"prog"}, *y[8] = {"prog"};
  int argc = 1 + (int)random_below(6);
  for (int i = 1; i < argc; i++) x[i] = y[i] = (char *)WORDS[random_below(sizeof WORDS / sizeof *WORDS)];
  const char *letters = LETTERS[random_below(5)];
  int whole = (int)random_below(3), own[20][3], n = 0;
  const char *arguments[20];
  opterr = 0;
  optind = 0;
  do {
    int index = -1, c = whole == 0 ? MODEL(getopt)(argc, x, letters) : whole == 1 ? MODEL(getopt_long)(argc, x, letters, LONG, &index) : MODEL(getopt_long_only)(argc, x, letters, LONG, &index);
    own[n][0] = c, own[n][1] = optind, own[n][2] = c == '?' || c == ':' ? optopt : index;
    arguments[n++] = optarg;
  } while (own[n - 1][0] != -1 && n < 20);
  optind = 0;
  for (int i = 0; i < n; i++) {
    int index = -1, c = whole == 0 ? getopt(argc, y, letters) : whole == 1 ? getopt_long(argc, y, letters, LONG, &index) : getopt_long_only(argc, y, letters, LONG, &index);
    int third = c == '?' || c == ':' ? optopt : index;
    CHECK("getopt", own[i][0] == c && own[i][1] == optind && own[i][2] == third && arguments[i] == optarg,
          "%d of '%s' %s %s %s %s: %d %d, optind %d %d, %d %d", whole, letters, argc > 1 ? x[1] : "", argc > 2 ? x[2] : "", argc > 3 ? x[3] : "", argc > 4 ? x[4] : "", own[i][0], c, own[i][1], optind, own[i][2], third);
    if (c == -1) break;
  }
  CHECK("getopt", !memcmp(x, y, sizeof x), "order of the words");
}

static void wide(void) {
  char a[8];
  static const byte LEADS[] = {0, 'a', 0x7f, 0x80, 0xbf, 0xc1, 0xc3, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf3, 0xf4, 0xf5, 0xff};
  for (int i = 0; i < 8; i++) a[i] = (char)(random_below(2) ? 0x80 + random_below(64) : LEADS[random_below(16)]);
  a[7] = 0;
  mbstate_t s, t;
  memset(&s, 0, sizeof s), memset(&t, 0, sizeof t);
  wchar_t x = 1, y = 1;
  size_t n = random_below(6), p = MODEL(mbrtowc)(&x, a, n, &s), q = mbrtowc(&y, a, n, &t);
  CHECK("mbrtowc", p == q && x == y && mbsinit(&s) == mbsinit(&t), "%02x %02x %02x: %zd %zd %x %x", (byte)a[0], (byte)a[1], (byte)a[2], p, q, x, y);
  x = y = 1;
  MODEL(mbtowc)(NULL, NULL, 0);
  MODEL(mblen)(NULL, 0);
  int i = MODEL(mbtowc)(&x, a, n);
  MODEL(mbtowc)(NULL, NULL, 0);
  int j = mbtowc(&y, a, n);
  CHECK("mbtowc", i == j && x == y, "%02x %02x: %d %d", (byte)a[0], (byte)a[1], i, j);
  i = MODEL(mblen)(a, n);
  MODEL(mblen)(NULL, 0);
  SAME("mblen", i, mblen(a, n), "%02x", (byte)a[0]);
  SAME("btowc", MODEL(btowc)((byte)a[0]), btowc((byte)a[0]), "%02x", (byte)a[0]);
  wchar_t to[8] = {0}, other[8] = {0};
  p = MODEL(mbstowcs)(to, a, n), q = mbstowcs(other, a, n);
  CHECK("mbstowcs", p == q && (p == (size_t)-1 || !memcmp(to, other, sizeof to)), "%zd %zd", p, q);
  for (wint_t c = 0; c < 300; c++) {
    SAME("towupper", MODEL(towupper)(c), towupper(c), "%x", c);
    SAME("iswalpha", !MODEL(iswalpha)(c), !iswalpha(c), "%x", c);
    SAME("iswpunct", !MODEL(iswpunct)(c), !iswpunct(c), "%x", c);
    SAME("wctob", MODEL(wctob)(c), wctob(c), "%x", c);
    SAME("wcwidth", MODEL(wcwidth)((wchar_t)c), wcwidth((wchar_t)c), "%x", c);
    char own[MB_LEN_MAX] = "", its[MB_LEN_MAX] = "";
    mbstate_t u = {0}, v = {0};
    size_t written = MODEL(wcrtomb)(own, (wchar_t)c, &u), all = wcrtomb(its, (wchar_t)c, &v);
    CHECK("wcrtomb", written == all && !memcmp(own, its, sizeof own) && mbsinit(&u) == mbsinit(&v), "%x", c);
    SAME("wctomb", MODEL(wctomb)(own, (wchar_t)c), wctomb(its, (wchar_t)c), "%x", c);
    CHECK("wctomb", !memcmp(own, its, sizeof own), "%x", c);
  }
}

/* A random wide string of few characters. */
static void wide_text(wchar_t *to, unsigned most) {
  static const wchar_t LETTERS[] = {L'a', L'B', L'b', L'A', L'-', L'0', L'7', L' ', L'x', 0x3bb};
  unsigned n = random_below(most + 1);
  for (unsigned i = 0; i < n; i++) to[i] = LETTERS[random_below(10)];
  to[n] = 0;
}

static void wide_strings(void) {
  wchar_t a[30], b[8], x[60], y[60], c = L"ab0\u03bb"[random_below(5)];
  wide_text(a, 14), wide_text(b, 3);
  size_t n = random_below(16);
#define WIDE(f, ...) SAME(#f, MODEL(f)(__VA_ARGS__), f(__VA_ARGS__), "'%ls' '%ls' %x %zu", a, b, c, n)
#define WIDE_ORDER(f, ...) SAME(#f, SIGN(MODEL(f)(__VA_ARGS__)), SIGN(f(__VA_ARGS__)), "'%ls' '%ls' %zu", a, b, n)
  WIDE(wcslen, a); WIDE(wcsnlen, a, n); WIDE(wcschr, a, c); WIDE(wcsrchr, a, c);
  WIDE(wcschrnul, a, c); WIDE(wcsstr, a, b); WIDE(wcsspn, a, b); WIDE(wcscspn, a, b);
  WIDE(wcspbrk, a, b); WIDE(wmemchr, a, c, wcslen(a));
  WIDE_ORDER(wcscmp, a, b); WIDE_ORDER(wcsncmp, a, b, n); WIDE_ORDER(wcscasecmp, a, b);
  WIDE_ORDER(wcsncasecmp, a, b, n); WIDE_ORDER(wmemcmp, a, b, wcslen(b) < wcslen(a) ? wcslen(b) : wcslen(a));
#define WIDE_WRITES(f, ...)                                                            \
  do {                                                                                 \
    for (int i = 0; i < 60; i++) x[i] = y[i] = L'#';                                   \
    wcscpy(x, L"ab"), wcscpy(y, L"ab");                                                \
    wchar_t *to = x;                                                                   \
    long p = MODEL(f)(__VA_ARGS__) - x;                                                \
    to = y;                                                                            \
    long q = f(__VA_ARGS__) - y;                                                       \
    CHECK(#f, p == q && !memcmp(x, y, sizeof x), "'%ls' %zu: %ld %ld", a, n, p, q);    \
  } while (0)
  WIDE_WRITES(wcscpy, to, a); WIDE_WRITES(wcpcpy, to, a); WIDE_WRITES(wcsncpy, to, a, n);
  WIDE_WRITES(wcscat, to, a); WIDE_WRITES(wcsncat, to, a, n); WIDE_WRITES(wmemcpy, to, a, wcslen(a));
  WIDE_WRITES(wmemset, to, c, n);
  wchar_t *copy = MODEL(wcsdup)(a);
  CHECK("wcsdup", !wcscmp(copy, a), "'%ls'", a);
  free(copy);
  int base = random_below(4) * 8, own = 0;
#define WIDE_VALUE(f)                                                                         \
  do {                                                                                        \
    wchar_t *end = NULL, *other = NULL;                                                       \
    errno = 0;                                                                                \
    long v = (long)MODEL(f)(a, &end, base);                                                   \
    own = errno, errno = 0;                                                                   \
    long w = (long)f(a, &other, base);                                                        \
    CHECK(#f, v == w && end == other && own == errno, "'%ls' %d: %ld %ld", a, base, v, w);    \
  } while (0)
  WIDE_VALUE(wcstol); WIDE_VALUE(wcstoul); WIDE_VALUE(wcstoll); WIDE_VALUE(wcstoull);
}

static void integers(void) {
  static const long EDGES[] = {0, 1, -1, 255, 256, INT_MAX, INT_MIN + 1, LONG_MAX, LONG_MIN + 1, 1L << 40};
  long a = EDGES[random_below(10)] ^ random_below(3), b = (long)random_below(1000) - 500;
  if (b == 0) b = 7;
#define INTEGER(f, x) SAME(#f, MODEL(f)(x), f(x), "%ld", a)
  if (a != LONG_MIN && (int)a != INT_MIN) {
    INTEGER(abs, (int)a); INTEGER(labs, a); INTEGER(llabs, a); INTEGER(imaxabs, a);
    div_t i = MODEL(div)((int)a, (int)b), j = div((int)a, (int)b);
    CHECK("div", i.quot == j.quot && i.rem == j.rem, "%ld %ld", a, b);
    ldiv_t k = MODEL(ldiv)(a, b), l = ldiv(a, b);
    CHECK("ldiv", k.quot == l.quot && k.rem == l.rem, "%ld %ld", a, b);
  }
  INTEGER(ffs, (int)a); INTEGER(ffsl, a); INTEGER(ffsll, a); INTEGER(toascii, (int)a); INTEGER(isascii, (int)a);
  unsigned long device = (unsigned long)a * 0x9e3779b97f4a7c15 ^ (unsigned long)b;
  unsigned high = (unsigned)(device >> 32), low = (unsigned)device;
  INTEGER(gnu_dev_major, device); INTEGER(gnu_dev_minor, device);
  SAME("gnu_dev_makedev", MODEL(gnu_dev_makedev)(high, low), gnu_dev_makedev(high, low), "%u %u", high, low);
}

/* Floats by all their bits, but NaNs are alike. */
static int same_double(double x, double y) { return x != x ? y != y : !memcmp(&x, &y, sizeof x); }

static void parts(void) {
  static const double EDGES[] = {0.0, 1.0, 0.5, INFINITY, NAN, 0x1p-1074, 0x1p-1022, 0x1p-130, 0x1p52, 7.75, 2.0, 3.0};
  double x = EDGES[random_below(12)], sign = random_below(2) ? -1 : 1;
  int kind = random_below(3);
  if (kind == 1) x = random_below(1000000) / 1000.0;
  if (kind == 2) x = ldexp(random_below(1u << 31), (int)random_below(2100) - 1080);
  x *= sign;
  float f = (float)x;
  int m = 7, n = 7, k = 7, l = 7;
  double a, b, c, d;
  float p, q, r, s;
#define SAME_PARTS(f, x, u, v, m, n) \
  CHECK(#f, same_double(u, v) && (m) == (n), "%a: %a %a, %d %d", (double)(x), (double)(u), (double)(v), m, n)
#define SAME_FLOATS(f, x, u, v, m, n)                                                                       \
  CHECK(#f, same_double(u, v) && same_double(m, n), "%a: %a %a, %a %a", (double)(x), (double)(u), (double)(v), \
        (double)(m), (double)(n))
  a = MODEL(frexp)(x, &m), b = frexp(x, &n);
  SAME_PARTS(frexp, x, a, b, m, n);
  p = MODEL(frexpf)(f, &k), q = frexpf(f, &l);
  SAME_PARTS(frexpf, f, p, q, k, l);
  a = MODEL(modf)(x, &c), b = modf(x, &d);
  SAME_FLOATS(modf, x, a, b, c, d);
  p = MODEL(modff)(f, &r), q = modff(f, &s);
  SAME_FLOATS(modff, f, p, q, r, s);
  MODEL(sincos)(x, &a, &c), sincos(x, &b, &d);
  SAME_FLOATS(sincos, x, a, b, c, d);
  MODEL(sincosf)(f, &p, &r), sincosf(f, &q, &s);
  SAME_FLOATS(sincosf, f, p, q, r, s);
  a = MODEL(lgamma_r)(x, &m), b = lgamma_r(x, &n);
  SAME_PARTS(lgamma_r, x, a, b, m, n);
  p = MODEL(lgammaf_r)(f, &k), q = lgammaf_r(f, &l);
  SAME_PARTS(lgammaf_r, f, p, q, k, l);
  double y = EDGES[random_below(12)];
  if (random_below(3)) y = ldexp(random_below(1000) / 8.0, random_below(2) ? 0 : (int)random_below(2100) - 1080);
  if (random_below(3) == 0) y = x / (1 + random_below(40)) * 2;
  y *= random_below(2) ? -1 : 1;
  m = n = k = l = 7;
  a = MODEL(remquo)(x, y, &m), b = remquo(x, y, &n);
  SAME_PARTS(remquo, x, a, b, m, n);
  p = MODEL(remquof)(f, (float)y, &k), q = remquof(f, (float)y, &l);
  SAME_PARTS(remquof, f, p, q, k, l);
}

static void collation(void) {
  char a[20], x[24], y[24];
  text(a, 15, "abAB,;");
  size_t n = random_below(20);
  memset(x, '#', sizeof x), memset(y, '#', sizeof y);
  size_t p = MODEL(strxfrm)(x, a, n), q = strxfrm(y, a, n);
  /* What stands there when it does not fit means nothing. */
  CHECK("strxfrm", p == q && (p >= n || !strcmp(x, y)), "'%s' %zu: %zu %zu", a, n, p, q);
  char *s = NULL, *t = NULL;
  int i = MODEL(asprintf)(&s, "%s|%d|%5x", a, (int)n - 9, (int)n), j = asprintf(&t, "%s|%d|%5x", a, (int)n - 9, (int)n);
  CHECK("asprintf", i == j && !strcmp(s, t), "'%s' '%s'", s, t);
  free(s), free(t);
}

/* Lines of wide characters from a file that both read. */
static void wide_lines(void) {
  FILE *f = tmpfile(), *g = tmpfile();
  fputs("one\n\ntwo and a half\nlast", f), fputs("one\n\ntwo and a half\nlast", g);
  fflush(f), fflush(g);
  lseek(fileno(f), 0, SEEK_SET), lseek(fileno(g), 0, SEEK_SET);
  f = freopen(NULL, "r", f), g = freopen(NULL, "r", g);
  wchar_t x[12], y[12];
  for (int i = 0; i < 8; i++) {
    int room = 2 + (int)random_below(10);
    wchar_t *p = MODEL(fgetws)(x, room, f), *q = fgetws(y, room, g);
    CHECK("fgetws", !p == !q && (!p || !wcscmp(x, y)), "room %d", room);
  }
  fclose(f), fclose(g);
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 20000;
  characters();
  for (int i = 0; i < rounds; i++) {
    strings();
    numbers();
    sorting();
    addresses();
    scanning();
    scanning_reals();
    printing();
    options();
    wide_strings();
    integers();
    parts();
    collation();
    if (i % 100 == 0) wide_lines();
    if (i % 10 == 0) {
      setlocale(LC_ALL, i % 20 ? "C" : "C.UTF-8");
      wide();
      setlocale(LC_ALL, "C");
    }
  }
  printf("%d problems\n", problems);
  return problems != 0;
}
