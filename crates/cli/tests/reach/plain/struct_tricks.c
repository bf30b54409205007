// inputs: a7 a700 a701 a702 a703
#include <labrys.h>
struct flex {
  int n;
  short v[];
};
struct in {
  int a[2];
  int b;
};
struct bits {
  unsigned a : 3, : 2, b : 5;
  signed c : 4;
  unsigned : 0;
  _Bool d : 1;
  long e : 40;
} __attribute__((packed));
struct empty {};
union both {
  struct {
    unsigned char lo, hi;
  };
  unsigned short w;
  struct bits b;
};
static __attribute__((noinline)) int body(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  struct flex* f = calloc(1, sizeof *f + 8);
  f->v[c & 3] = 7;
  if (*(short*)((char*)f + 6) == 7) labrys_target("flexible");
  struct in s = {{1, 2}, 3};
  int* p = (int*)&s;
  p[2] = c;
  if (s.b == 2) labrys_target("across");
  struct bits b = {0};
  b.c = c + 7;
  if (b.c == -8) labrys_target("sign");
  b.a = c + 7;
  if (b.a == 0) labrys_target("wrapped");
  b.d = c;
  if (b.d == 1 && c == 2) labrys_target("bool");
  b.e = -1;
  if (b.e == -1) labrys_target("long");
  union both u;
  u.w = 0x1234 + c;
  if (u.hi == 0x12 && u.lo == 0x35) labrys_target("halves");
  if (sizeof(struct empty) == 0) labrys_target("empty");
  struct in arr[2] = {{{1}, 2}, {{3}, 4}};
  struct in t = arr[c & 1];
  arr[c & 1].b = 9;
  if (t.b == 4 && arr[1].b == 9) labrys_target("copied");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
