// proved: control
// inputs: a701 a702 a780
#include <labrys.h>
#include <stddef.h>
#include <stdint.h>
static int never;
struct node { int value; struct node *link; };
struct outer { char tag; struct node inner; short last; };
union word { uint32_t w; struct { uint16_t low, high; }; unsigned char b[4]; float f; struct { unsigned a : 5, b : 12, c : 15; } bits; };
static __attribute__((noinline)) int body(int argc, char **argv) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  struct outer o = {0};
  struct node *n = &o.inner;
  struct outer *back = (struct outer *)((char *)n - offsetof(struct outer, inner));
  back->tag = c;
  if (o.tag == 2) labrys_target("container");
  union word u = {0};
  u.b[3] = c;
  if (u.high == 0x200) labrys_target("half");
  u.f = c;
  if (u.w >> 23 == 128) labrys_target("exponent");
  u.w = 0;
  u.bits.b = c * 20;
  if (u.b[0] == 0x80 && u.b[1] == 2) labrys_target("bits");
  uintptr_t tagged = (uintptr_t)&o | 1;
  if (tagged & 1) ((struct outer *)(tagged & ~1ul))->last = c;
  if (o.last == 2) labrys_target("tagged");
  int a = 1, b = 2;
  uintptr_t both = (uintptr_t)&a ^ (uintptr_t)&b;
  *(int *)(both ^ (uintptr_t)&a) = c;
  if (b == 128) labrys_target("xor");
  int *p = &a, *q;
  for (size_t i = 0; i < sizeof p; i++) ((char *)&q)[i] = ((char *)&p)[i];
  *q = 99;
  if (a == 99) labrys_target("bytes");
  void (*f)(void) = 0;
  memcpy(&f, &(void *){(void *)exit}, sizeof f);
  if (f == (void (*)(void))exit) labrys_target("function");
  uint64_t wide[2] = {0, 0};
  *(uint32_t *)((char *)wide + 6) = 0x01020304;
  if (wide[0] >> 48 == 0x304 && wide[1] == 0x102) labrys_target("across");
  char raw[sizeof(struct node) + 1];
  struct node *un = (struct node *)(raw + 1);
  un->value = c;
  if (raw[1] == 2) labrys_target("unaligned");
  struct { int x; int rest[]; } *flex = calloc(1, 12);
  flex->rest[1] = c;
  if (((int *)flex)[2] == 1) labrys_target("flexible");
  struct { char c; int i; } s1, s2;
  memset(&s1, 0xff, sizeof s1);
  memset(&s2, 0, sizeof s2);
  s1.c = s2.c = 1;
  s1.i = s2.i = 2;
  if (memcmp(&s1, &s2, sizeof s1)) labrys_target("padding");
  const int fixed = 3;
  *(volatile int *)&fixed = 4;
  if (*(volatile const int *)&fixed == 4) labrys_target("const_local");
  int arr[3] = {1, 2, 3};
  int *end = arr + 3;
  if (end[-1] == 3 && end - arr == 3) labrys_target("past");
  if ((char *)&arr[1] - (char *)arr == 4 && &arr[2] > &arr[1]) labrys_target("relation");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
