/* Addresses of the Internet in text: four numbers with dots. Others are left to the library.
 * Where the text ends is decided, and at the end whether it is an address: one query finds four
 * numbers, whatever the lengths of those before. */

#define LONGEST_ADDRESS 15

/* Holds a number of three digits: four are wrong in any case. */
typedef unsigned _BitInt(12) small;

static int scan_address(const char *s, byte *to) {
  small parts[4] = {0}, part = 0, digits = 0, number = 0, zero = 0, wrong = 0;
  for (int i = 0; s[i]; i++) {
    if (i == LONGEST_ADDRESS) return 0;
    small c = (byte)s[i], value = c - (small)'0';
    small digit = value < 10, dot = c == '.';
    wrong |= !(digit | dot) | (dot & (digits == 0)) | (digit & (zero | (digits == 3)));
    for (small k = 0; k < 3; k++) parts[k] |= -(dot & (part == k)) & number;
    wrong |= number > 255;
    zero = digit & (digits == 0) & (value == 0);
    number = -digit & (number * 10 + value);
    digits = -digit & (digits + 1);
    part += dot;
    wrong |= part > 3;
  }
  wrong |= (digits == 0) | (part != 3) | (number > 255);
  if (wrong) return 0;
  parts[3] = number;
  for (int k = 0; k < 4; k++) to[k] = (byte)parts[k];
  return 1;
}

int MODEL(inet_pton)(int family, const char *s, void *to) {
  int known = CONCRETE_STRING(s);
  if (!known && family == AF_INET) return scan_address(s, to);
  if (!known) __labrys_unseen("inet_pton");
  if (family == AF_INET || family == AF_INET6) __labrys_unlabel(to, family == AF_INET ? 4 : 16);
  return inet_pton(family, s, to);
}
