/* Five ways for two different keys to fall together under the common hash with multiplier 31. */
#include <labrys.h>

typedef unsigned int word;

static word hash2(word a, word b) { return (31 + a) * 31 + b; }

static word spread(word h) {
  h ^= h >> 20 ^ h >> 12;
  return h ^ h >> 7 ^ h >> 4;
}

int main(void) {
  unsigned char which;
  int a, b, c, d;
  short s[4], t[4];
  labrys_symbolic(&which, sizeof which, "which");
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  labrys_symbolic(&c, sizeof c, "c");
  labrys_symbolic(&d, sizeof d, "d");
  labrys_symbolic(s, sizeof s, "s");
  labrys_symbolic(t, sizeof t, "t");
  switch (which) {
    case 0: /* both members differ */
      if (hash2(a, b) == hash2(c, d) && a != c && b != d) labrys_target("members");
      break;
    case 1: /* members that are products */
      if (hash2(a * b, b) == hash2(c * d, d) && a != c && b > d && d > 0) labrys_target("products");
      break;
    case 2: { /* strings of four */
      word h = 0, g = 0;
      for (int i = 0; i < 4; i++) h = 31 * h + (word)s[i], g = 31 * g + (word)t[i];
      if (h == g && s[0] != t[0] && s[1] != t[1] && s[3] > t[3]) labrys_target("strings");
      break;
    }
    case 3: /* the same bucket of a table after spreading, from different hashes */
      if ((spread(hash2(a, b)) & 1023) == (spread(hash2(c, d)) & 1023) && hash2(a, b) > hash2(c, d) + 70000 && a == -c)
        labrys_target("bucket");
      break;
    case 4: /* a wanted value, from squares */
      if (hash2(a * a, b * b) == hash2(c * c, d) && a > c && c > b && b > 1000) labrys_target("squares");
  }
  return 0;
}
