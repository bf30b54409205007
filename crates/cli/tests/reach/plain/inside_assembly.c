// proved: control
// inputs: a7
#include <labrys.h>
static int never;
__attribute__((used)) int named = 1;
static __attribute__((noinline)) int body(int argc, char **argv) {
  int x = 1, y = 1, z, n = 1;
  __asm__ volatile("movl $5, (%0)" : : "r"(&x) : "memory");
  if (x == 5) labrys_target("clobber");
  __asm__("movl $6, %0" : "=m"(y));
  if (y == 6) labrys_target("output");
  __asm__ volatile("movl $7, named(%%rip)" : : : "memory");
  if (named == 7) labrys_target("by_name");
  unsigned char carry;
  __asm__("addl %2, %1; setc %0" : "=q"(carry), "+r"(n) : "r"(-1) : "cc");
  if (carry) labrys_target("carry");
  __asm__("cmpl %1, %1" : "=@ccz"(z) : "r"(n) : "cc");
  if (z) labrys_target("flag");
  __asm__ volatile("xchgl %0, %1" : "+r"(x), "+r"(y));
  if (x == 6) labrys_target("swapped");
  int *p = &n, *q;
  __asm__("mov %1, %0" : "=r"(q) : "r"(p));
  *q = 77;
  if (n == 77) labrys_target("laundered");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
