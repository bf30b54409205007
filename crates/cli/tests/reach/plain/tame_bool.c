// proved: control
// inputs: a7
#include <labrys.h>
static int never;
enum color { RED, GREEN };
static __attribute__((noinline)) int body(int argc, char **argv) {
  _Bool b = 0;
  *(unsigned char *)&b = 2;
  if (b) labrys_target("two");
  if (!b) labrys_target("not_two");
  int i = b;
  if (i == 2) labrys_target("is_two");
  if (i == 0) labrys_target("is_zero");
  if (i == 1) labrys_target("is_one");
  *(unsigned char *)&b = 255;
  if (b == 1) labrys_target("one");
  if (b != 1) labrys_target("not_one");
  volatile int v = 77;
  enum color c = v;
  if (c == 77) labrys_target("enumeration");
  switch (c) { case RED: case GREEN: break; default: labrys_target("default"); }
  struct { _Bool f : 1; unsigned u : 3; signed s : 3; volatile int w : 4; } s = {0};
  s.f = v;
  if (s.f == 1) labrys_target("field");
  s.u = v;
  if (s.u == 5) labrys_target("cut");
  s.s = v;
  if (s.s == -3) labrys_target("sign");
  s.w = v;
  if (s.w == -3) labrys_target("volatile");
  int assigned = (s.u = 9);
  if (assigned == 1) labrys_target("assigned");
  s.u = 7;
  if (s.u++ == 7 && s.u == 0) labrys_target("wrapped");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
