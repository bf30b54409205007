/* Variable arguments of each class, in registers and on the stack, taken twice. */
#include <stdarg.h>
#include <stdio.h>
struct large {
  long a[5];
};
struct pair {
  float x, y;
};
struct mixed {
  double d;
  long l;
};
struct odd {
  char c[3];
};
typedef float four __attribute__((vector_size(16)));
static void one(char kind, va_list *from) {
  switch (kind) {
  case 'i': printf("%d ", va_arg(*from, int)); break;
  case 'd': printf("%g ", va_arg(*from, double)); break;
  case 'L': printf("%Lg ", va_arg(*from, long double)); break;
  case 's': printf("%s ", va_arg(*from, char *)); break;
  case 'B': printf("%ld ", va_arg(*from, struct large).a[4]); break;
  case 'P': printf("%g ", va_arg(*from, struct pair).y); break;
  case 'V': printf("%g ", va_arg(*from, four)[2]); break;
  case 'O': printf("%.1s ", va_arg(*from, struct odd).c + 2); break;
  case 'M': {
    struct mixed taken = va_arg(*from, struct mixed);
    printf("%g %ld ", taken.d, taken.l);
    break;
  }
  case 'Q': {
    __int128 taken = va_arg(*from, __int128);
    printf("%ld %ld ", (long)(taken >> 64), (long)taken);
  }
  }
}
static void each(const char *kinds, ...) {
  va_list list, again;
  va_start(list, kinds);
  va_copy(again, list);
  for (const char *at = kinds; *at; at++) one(*at, &list);
  for (const char *at = kinds; *at; at++) one(*at, &again);
  va_end(list);
  va_end(again);
  puts("");
}
int main(void) {
  int c = getchar();
  struct large large = {{c, 2, 3, 4, c + 5}};
  struct pair pair = {c, c + .5f};
  struct mixed mixed = {c + .25, -c};
  struct odd odd = {{'a', 'b', (char)c}};
  four some = {1, 2, c, 4};
  __int128 wide = ((__int128)c << 70) + c;
  each("iPidVMQiQLiBOs", 1, pair, c, 2.5, some, mixed, wide, c, -wide, 3.25L, c, large, odd, "end");
  each("PVPVPVPVPVdMi", pair, some, pair, some, pair, some, pair, some, pair, some, c / 2., mixed, c);
  printf("%d %c %g\n", c, c, c / 4.);
  return c & 7;
}
