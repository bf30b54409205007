/* Values in variables that are changed in one step. */
/* cover: --stdin */
/* never: unequal */
#include <labrys.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int total, state;
static _Atomic unsigned char flag;
static atomic_ulong bits;

int main(void) {
  unsigned char text[8];
  if (fread(text, 1, sizeof text, stdin) < sizeof text) return 0;
  for (int i = 0; i < 3; i++) atomic_fetch_add(&total, text[i]);
  if (total == 401) labrys_target("added");
  int expected = text[3];
  atomic_store(&state, 77);
  if (atomic_compare_exchange_strong(&state, &expected, text[4])) {
    labrys_target("equal");
    if (state == 9) labrys_target("exchanged");
  } else if (expected != 77) {
    labrys_target("unequal");
  }
  if (atomic_exchange(&flag, text[5]) == 0 && atomic_fetch_xor(&flag, 0x55) == 0x33) labrys_target("flag");
  if (flag == 0x66) labrys_target("changed");
  atomic_fetch_or(&bits, (unsigned long)text[6] << 40);
  atomic_fetch_sub(&bits, text[7]);
  if (bits == 0x120000000000 - 7) labrys_target("bits");
  return 0;
}
