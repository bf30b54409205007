/* Strings: lengths, searches, copies, comparisons without case. */

size_t MODEL(strlen)(const char *s) {
  if (CONCRETE_STRING(s)) return strlen(s);
  size_t n = 0;
  while (s[n]) n++;
  return n;
}

/* A number without its label, for functions of the library that only look ahead. */
static size_t plain(size_t n) {
  __labrys_unlabel(&n, sizeof n);
  return n;
}

/* Does no byte carry a label that tells where this string ends, its last one among them? */
static int concrete_text(const char *s, size_t max) {
  size_t most = plain(max), n = strnlen(s, most);
  return __labrys_concrete(s, n < most ? n + 1 : n);
}

size_t MODEL(strnlen)(const char *s, size_t max) {
  if (concrete_text(s, max)) {
    size_t n = strnlen(s, plain(max));
    return n < max ? n : max;
  }
  size_t n = 0;
  while (n < max && s[n]) n++;
  return n;
}

/* Does a value carry no label? */
static int concrete_value(int c) { return __labrys_concrete(&c, sizeof c); }

/* Where a character stands, or the end of the string, one decision after the other. */
static char *walk_to(const char *s, int c) {
  for (;; s++) {
    if (*s == (char)c) return (char *)s;
    if (!*s) return NULL;
  }
}

/* Known bytes in which an unknown one is looked for, if they are few: where it stands is read from
 * a table, so the place that is returned depends on it, and only whether it is there is decided. */
#define MOST_PLACES 255

static void *place_in(const byte *s, size_t n, int c, int last) {
  static byte places[256]; /* A global: variables of models on the stack are no known objects. */
  memset(places, 0, sizeof places);
  for (size_t i = 0; i < n; i++)
    if (last || !places[s[i]]) places[s[i]] = (byte)(i + 1);
  byte place = places[(byte)c];
  return place ? (void *)(s + place - 1) : NULL;
}

char *MODEL(strchr)(const char *s, int c) {
  if (CONCRETE_STRING(s)) {
    size_t size = strlen(s) + 1;
    if (concrete_value(c)) return strchr(s, c);
    if (size <= MOST_PLACES) return place_in((const byte *)s, size, c, 0);
  }
  return walk_to(s, c);
}

char *MODEL(strchrnul)(const char *s, int c) {
  if (CONCRETE_STRING(s)) {
    char *found = MODEL(strchr)(s, c);
    return found ? found : (char *)s + strlen(s);
  }
  while (*s && *s != (char)c) s++;
  return (char *)s;
}

char *MODEL(strrchr)(const char *s, int c) {
  if (CONCRETE_STRING(s)) {
    size_t size = strlen(s) + 1;
    if (concrete_value(c)) return strrchr(s, c);
    if (size <= MOST_PLACES) return place_in((const byte *)s, size, c, 1);
  }
  const char *found = NULL;
  for (;; s++) {
    if (*s == (char)c) found = s;
    if (!*s) return (char *)found;
  }
}

void *MODEL(memchr)(const void *p, int c, size_t n) {
  const byte *s = p;
  const byte *hit = memchr(p, (int)plain((size_t)c), plain(n));
  if (__labrys_concrete(&n, sizeof n) && __labrys_concrete(p, hit ? (size_t)(hit - s) + 1 : n)) {
    if (concrete_value(c)) return (void *)hit;
    if (n <= MOST_PLACES && __labrys_concrete(p, n)) return place_in(s, n, c, 0);
  }
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

char *MODEL(strndup)(const char *s, size_t max) {
  size_t n = MODEL(strnlen)(s, max);
  char *copy = __labrys_w_malloc(n + 1);
  if (!copy) return NULL;
  for (size_t i = 0; i < n; i++) copy[i] = s[i];
  copy[n] = 0;
  return copy;
}

char *MODEL(strdup)(const char *s) { return MODEL(strndup)(s, SIZE_MAX); }

/* Is the byte in the set? One answer for the whole set, without a decision per member. */
static int member(const char *set, size_t n, char c) {
  int found = 0;
  for (size_t i = 0; i < n; i++) found |= set[i] == c;
  return found;
}

size_t MODEL(strspn)(const char *s, const char *accept) {
  size_t members = MODEL(strlen)(accept), n = 0;
  while (s[n] && member(accept, members, s[n])) n++;
  return n;
}

size_t MODEL(strcspn)(const char *s, const char *reject) {
  size_t members = MODEL(strlen)(reject), n = 0;
  while (s[n] && !member(reject, members, s[n])) n++;
  return n;
}

char *MODEL(strpbrk)(const char *s, const char *accept) {
  s += MODEL(strcspn)(s, accept);
  return *s ? (char *)s : NULL;
}


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

/* Case folding without a decision per byte. */
static int fold(byte c) { return c + (((unsigned)c - 'A' < 26u) << 5); }

/* How many bytes of a string may be read: those to the end of its last page. */
static size_t readable(const char *s, size_t length) {
  return ((((uintptr_t)s + length) | 4095) + 1) - (uintptr_t)s;
}

/* Against a known string the result is one expression, the difference of the first pair that
 * differs; otherwise each pair is a decision. */
int MODEL(strncasecmp)(const char *a, const char *b, size_t n) {
  size_t most = plain(n), la = strnlen(a, most), lb = strnlen(b, most);
  size_t wa = la < n ? la + 1 : n, wb = lb < n ? lb + 1 : n;
  int ca = __labrys_concrete(a, wa), cb = __labrys_concrete(b, wb);
  if (ca && cb) return strncasecmp(a, b, n);
  if (ca || cb) {
    __labrys_compared(a, b, most);
    size_t extent = ca ? wa : wb, room = ca ? readable(b, lb) : readable(a, la);
    if (extent > room) extent = room;
    int result = 0;
    while (extent-- > 0) {
      int x = fold((byte)a[extent]), y = fold((byte)b[extent]);
      /* All ones where the pair differs, or where both end. */
      int differ = -(x != y), ends = -(ca ? !a[extent] : !b[extent]);
      result = (differ & (x - y)) | (~differ & ~ends & result);
    }
    return result;
  }
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

/* By version: where the strings first differ inside numbers, the longer number is the larger one,
 * unless it begins with zeros, which make it a fraction. */
int MODEL(strverscmp)(const char *a, const char *b) {
  if (CONCRETE_STRING(a) && CONCRETE_STRING(b)) return strverscmp(a, b);
  size_t i = 0, number = 0;
  int zeros = 1;
  for (; a[i] == b[i]; i++) {
    if (!a[i]) return 0;
    if ((unsigned)(a[i] - '0') > 9) {
      number = i + 1;
      zeros = 1;
    } else if (a[i] != '0') {
      zeros = 0;
    }
  }
  int difference = (byte)a[i] - (byte)b[i];
  int digit_a = (unsigned)(a[i] - '0') <= 9, digit_b = (unsigned)(b[i] - '0') <= 9;
  if (number < i && zeros) {
    /* All that the numbers share are zeros: one more zero, or digit, makes a fraction smaller. */
    return digit_a != digit_b ? digit_b - digit_a : difference;
  }
  if (number < i && a[number] == '0') return difference;
  if (number == i && !(digit_a && digit_b && a[i] != '0' && b[i] != '0')) return difference;
  size_t end_a = i, end_b = i;
  while ((unsigned)(a[end_a] - '0') <= 9) end_a++;
  while ((unsigned)(b[end_b] - '0') <= 9) end_b++;
  if (end_a != end_b) return end_a < end_b ? -1 : 1;
  return difference;
}

char *MODEL(strcasestr)(const char *s, const char *needle) {
  size_t n = MODEL(strlen)(needle);
  for (;; s++) {
    if (!MODEL(strncasecmp)(s, needle, n)) return (char *)s;
    if (!*s) return NULL;
  }
}

char *MODEL(index)(const char *s, int c) { return MODEL(strchr)(s, c); }
char *MODEL(rindex)(const char *s, int c) { return MODEL(strrchr)(s, c); }

char *MODEL(strsep)(char **next, const char *separators) {
  char *start = *next;
  if (!start) return NULL;
  char *end = start + MODEL(strcspn)(start, separators);
  if (*end)
    *end++ = 0;
  else
    end = NULL;
  *next = end;
  return start;
}

void *MODEL(memccpy)(void *to, const void *from, int c, size_t n) {
  byte *d = to;
  const byte *s = from;
  for (size_t i = 0; i < n; i++)
    if ((d[i] = s[i]) == (byte)c) return d + i + 1;
  return NULL;
}

char *MODEL(stpncpy)(char *to, const char *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i]; i++) to[i] = from[i];
  char *end = to + i;
  for (; i < n; i++) to[i] = 0;
  return end;
}

/* The forms that _FORTIFY_SOURCE calls. */
char *MODEL(__strcpy_chk)(char *to, const char *from, size_t room) {
  (void)room;
  return MODEL(strcpy)(to, from);
}
char *MODEL(__stpcpy_chk)(char *to, const char *from, size_t room) {
  (void)room;
  return MODEL(stpcpy)(to, from);
}
char *MODEL(__strncpy_chk)(char *to, const char *from, size_t n, size_t room) {
  (void)room;
  return MODEL(strncpy)(to, from, n);
}
char *MODEL(__strcat_chk)(char *to, const char *from, size_t room) {
  (void)room;
  return MODEL(strcat)(to, from);
}
char *MODEL(__strncat_chk)(char *to, const char *from, size_t n, size_t room) {
  (void)room;
  return MODEL(strncat)(to, from, n);
}

/* In the C locale a string sorts as it is. */
size_t MODEL(strxfrm)(char *to, const char *from, size_t room) {
  const char *order = setlocale(LC_COLLATE, NULL);
  if (CONCRETE_STRING(from) || !order || strcmp(order, "C")) {
    size_t n = strxfrm(to, from, room);
    if (room) __labrys_unlabel(to, n < room ? n + 1 : room);
    return n;
  }
  size_t n = MODEL(strlen)(from);
  for (size_t i = 0; i < room && i <= n; i++) to[i] = from[i];
  return n;
}
