/* Branches that no solver decides soon, among others. */
#include <labrys.h>
#include <stdint.h>

int main(void) {
  uint32_t x, y;
  unsigned char s[6];
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  labrys_symbolic(s, sizeof s, "s");
  int count = 0;
  for (int i = 0; i < 6; i++)
    if (s[i] > 'a' && s[i] < 'q') count++;
  /* The product of two primes. */
  if (x > 1 && y > 1 && (uint64_t)x * y == 1500450271ull * 1610612741ull) count += 10;
  if (count > 3 && x * x * x + y * y * y == 123456791u && x > 1000 && y > 1000) count += 20;
  return count > 9;
}
