// inputs: a7
#include <labrys.h>
static int a = 1, b = 1, c = 1;
static __attribute__((noinline)) int body(void) {
  unsigned long u = (unsigned long)&a;
  unsigned char parts[8];
  for (int i = 0; i < 8; i++) parts[i] = u >> (8 * i) ^ 0x5a;
  unsigned long v = 0;
  for (int i = 7; i >= 0; i--) v = v << 8 | (parts[i] ^ 0x5a);
  *(int*)v = 2;
  if (a == 2) labrys_target("bytes");
  double d = (double)(unsigned long)&b;
  *(int*)(unsigned long)d = 3;
  if (b == 3) labrys_target("float");
  unsigned long link = (unsigned long)&a ^ (unsigned long)&c;
  *(int*)(link ^ (unsigned long)&a) = 4;
  if (c == 4) labrys_target("xor");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
