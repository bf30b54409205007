// inputs: a7 a700 a701 a702 a703 a704 a705
#include <labrys.h>
static int count, (*volatile step)(int);
static int odd(int n);
static int even(int n) {
  static int calls;
  calls++;
  if (calls == 3) labrys_target("third");
  return n == 0 ? 1 : odd(n - 1);
}
static int odd(int n) {
  return n == 0 ? 0 : step(n - 1);
}
static int ack(int m, int n) {
  count++;
  return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}
static __attribute__((noinline)) int body(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  if (c > 5) return 0;
  step = even;
  if (even(c) && c == 4) labrys_target("even");
  int a = ack(2, c & 3);
  if (a == 9) labrys_target("nine");
  if (count == 27) labrys_target("count");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
