/* Addresses of the Internet in text: four numbers with dots. Others are left to the library.
 * What is wrong with the numbers is decided once, at the end. */

static int scan_address(const char *s, byte *to) {
  byte parts[4];
  unsigned wrong = 0;
  for (int i = 0; i < 4; i++) {
    unsigned value = 0;
    int digits = 0;
    for (; IS_DIGIT((byte)*s); s++, digits++) {
      if (digits == 3) return 0;
      if (digits) wrong |= value == 0;
      value = value * 10 + ((byte)*s - '0');
    }
    if (digits == 0) return 0;
    if (digits == 3) wrong |= value > 255;
    parts[i] = (byte)value;
    if (i < 3 && *s++ != '.') return 0;
  }
  if (*s || wrong) return 0;
  for (int i = 0; i < 4; i++) to[i] = parts[i];
  return 1;
}

int MODEL(inet_pton)(int family, const char *s, void *to) {
  int known = CONCRETE_STRING(s);
  if (!known && family == AF_INET) return scan_address(s, to);
  if (!known) __labrys_unseen("inet_pton");
  if (family == AF_INET || family == AF_INET6) __labrys_unlabel(to, family == AF_INET ? 4 : 16);
  return inet_pton(family, s, to);
}
