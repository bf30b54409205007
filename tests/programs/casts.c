/* Truncation, sign and zero extension, pointers as integers, booleans. */
#include <labrys.h>
#include <stdbool.h>
#include <stdint.h>

int main(void) {
  int64_t x;
  int8_t small;
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&small, sizeof small, "small");
  if ((int8_t)x == -5 && (int16_t)x == 1019 && x > 1 << 20) labrys_target("truncate");
  if ((int64_t)small + 1000 == 900) labrys_target("sign-extend");
  if ((uint32_t)small == 0xffffff85u) labrys_target("sign-then-zero");
  if ((uint64_t)(uint8_t)small == 0x85) labrys_target("zero-extend");
  bool set = small & 0x10;
  if (set + 1 == 2 && small == 0x5a) labrys_target("bool");
  uintptr_t p = (uintptr_t)x;
  if ((void *)(p ^ 0x1234) == (void *)0xdead0000) labrys_target("pointer");
  return 0;
}
