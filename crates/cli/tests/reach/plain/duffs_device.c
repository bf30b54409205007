// inputs: a7 a700 a701 a702 a703 a704 a705 a706 a707 a708 a709
#include <labrys.h>
static int copy(const char* s, char* t, int n) {
  int rounds = (n + 3) / 4, total = 0;
  switch (n % 4) {
    case 0:
      do {
        *t++ = *s++;
        total++;
        case 3:
          *t++ = *s++;
          total++;
        case 2:
          *t++ = *s++;
          total++;
        case 1:
          *t++ = *s++;
          total++;
          if (rounds == 2 && n == 5) labrys_target("middle");
      } while (--rounds > 0);
  }
  return total;
}
static __attribute__((noinline)) int body(void) {
  unsigned char c;
  char a[16] = "0123456789", b[16] = {0};
  labrys_symbolic(&c, 1, "c");
  if (c > 9) return 0;
  int n = copy(a, b, c);
  if (n == 4 && c == 0) labrys_target("zero copies four");
  if (b[8] == '8' && !b[9]) labrys_target("nine");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
