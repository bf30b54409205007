// inputs: a7 a8
// checked: too
#include <labrys.h>
/* Each variable is written on one path only; on the other it holds what the stack held. */
struct pair {
  int a, b;
};
typedef int four __attribute__((vector_size(16)));
static __attribute__((noinline)) void fill(void) {
  volatile int a[64];
  for (int i = 0; i < 64; i++) a[i] = 77;
}
static __attribute__((noinline)) int member(int c) {
  struct pair one;
  if (c == 0xa8) one.a = 3;
  return one.a == 3;
}
static __attribute__((noinline)) int element(int c) {
  int some[4];
  if (c == 0xa8) some[2] = 3;
  return some[2] == 3;
}
static __attribute__((noinline)) int shared(int c) {
  union {
    int a;
    float b;
  } one;
  if (c == 0xa8) one.a = 3;
  return one.a == 3;
}
static __attribute__((noinline)) int pointed(int c) {
  int one, *p = &one;
  if (c == 0xa8) *p = 3;
  return one == 3;
}
static __attribute__((noinline)) int chosen(int c) {
  int one, other;
  if (c == 0xa8) one = other = 3;
  int *p = c > 0 ? &one : &other;
  return *p == 3;
}
static __attribute__((noinline)) int wide(int c) {
  long double one;
  if (c == 0xa8) one = 3;
  return one == 3;
}
static __attribute__((noinline)) int vector(int c) {
  four one;
  if (c == 0xa8) one = (four){3, 3, 3, 3};
  return one[1] == 3;
}
static __attribute__((noinline)) struct pair made(int c) {
  struct pair one;
  one.a = 1;
  if (c == 0xa8) one.b = 3;
  return one;
}
static int number(int c) {
  int one;
  if (c == 0xa8) one = 3;
  return one == 3;
}
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  fill();
  if (!member(c)) labrys_target("member");
  fill();
  if (!element(c)) labrys_target("element");
  fill();
  if (!shared(c)) labrys_target("shared");
  fill();
  if (!pointed(c)) labrys_target("pointed");
  fill();
  if (!chosen(c)) labrys_target("chosen");
  fill();
  if (!wide(c)) labrys_target("wide");
  fill();
  if (!vector(c)) labrys_target("vector");
  fill();
  if (made(c).b != 3) labrys_target("made");
  fill();
  if (!number(c)) labrys_target("number");
  return 0;
}
