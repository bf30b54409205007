// each: alone
// proved: control
// inputs: a7
#include <labrys.h>
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  int x = 1, y = 1, z = 1;
  size_t a = (size_t)&x, b = 0;
  for (int i = 0; i < 64; i++)
    if (a >> i & 1) b |= 1ul << i;
  *(int *)b = 5;
  if (x == 5) labrys_target("bits");
  unsigned char map[256];
  for (int i = 0; i < 256; i++) map[i] = i ^ 0x55;
  unsigned char bytes[8];
  int *p = &y;
  for (int i = 0; i < 8; i++) bytes[i] = map[((unsigned char *)&p)[i]];
  int *q;
  for (int i = 0; i < 8; i++) ((unsigned char *)&q)[i] = bytes[i] ^ 0x55;
  *q = 6;
  if (y == 6) labrys_target("table");
  size_t guess = (size_t)&x & ~4095ul;
  for (; guess != (size_t)&z; guess++)
    if (guess > (size_t)&x + 8192) guess -= 16384;
  *(int *)guess = 7;
  if (z == 7) labrys_target("guessed");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
