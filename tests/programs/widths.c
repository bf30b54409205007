/* Integers of every width to 128 bits, signed and unsigned, mixed in one expression. */
#include <labrys.h>
#include <stdint.h>

int main(void) {
  int8_t a;
  uint8_t b;
  int16_t c;
  uint16_t d;
  int32_t e;
  uint64_t f;
  __int128 g;
  labrys_symbolic(&a, sizeof a, "a");
  labrys_symbolic(&b, sizeof b, "b");
  labrys_symbolic(&c, sizeof c, "c");
  labrys_symbolic(&d, sizeof d, "d");
  labrys_symbolic(&e, sizeof e, "e");
  labrys_symbolic(&f, sizeof f, "f");
  labrys_symbolic(&g, sizeof g, "g");
  if (a * 3 == -123) labrys_target("int8");
  if ((uint8_t)(b + 200) == 17) labrys_target("uint8");
  if (c + a == -30000) labrys_target("int16");
  if (d % 1000 == 777 && d > 60000) labrys_target("uint16");
  if (e / 7 == -30000000) labrys_target("int32");
  if (f * 0x9e3779b97f4a7c15u == 0x0123456789abcdefu) labrys_target("uint64");
  if (g == ((__int128)7 << 90) + 12345) labrys_target("int128");
  if (g < 0 && (unsigned __int128)g >> 120 == 0x81) labrys_target("sign128");
  return 0;
}
