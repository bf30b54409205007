/* Functions without prototypes: what is passed and what is returned may have other widths where it is
 * taken.
 *
 * cover: -- */
#include <labrys.h>
#include <stdio.h>

static int narrower();
static int wider();
static long returned();

int main(void) {
  int a = getchar(), b = getchar();
  long both = a * 256L + b;
  int (*pointer)() = narrower;
  if (narrower(both) == 5) labrys_target("narrower");
  if (wider(a - 'z') == 5) labrys_target("wider");
  if (pointer(both + 1) == 6) labrys_target("pointer");
  if (returned(b) == 0x51) labrys_target("returned");
  return 0;
}

static int narrower(x) int x; { return x == 0x7a31 ? 5 : x == 0x6b52 ? 6 : 0; }
static int wider(x) long x; { return (int)x == -5 ? 5 : 0; }
static long returned(x) int x; { return x + 0x10L; }
