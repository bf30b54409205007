// options: -fno-builtin
// inputs: a7
#include <labrys.h>
#include <sys/mman.h>
const int fixed __attribute__((aligned(4096))) = 5;
const int* const address = &fixed;
static __attribute__((noinline)) int body(void) {
  mprotect((void*)((unsigned long)&fixed & ~4095ul), 4096, 3);
  *(int*)(unsigned long)address = 6;
  const int* volatile p = &fixed;
  if (*p == 6) labrys_target("changed");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
