/* Mappings at low addresses, and at addresses of 32 bits. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
int main(void) {
  char* want = (char*)0x10000000000;
  char* p = mmap(want, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  printf("%d\n", p == want);
  if (p == want) {
    p[5] = getchar();
    if (p[5] == 'a') puts("a");
  }
  char* q = mmap(want, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  printf("%d\n", q == MAP_FAILED);
  char* r = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  printf("%d\n", r != MAP_FAILED && (unsigned long)r < 1ul << 31);
  char* s = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  printf("%d\n", s != MAP_FAILED && s != r);
  munmap(p, 1 << 20);
  q = mmap(want, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  printf("%d\n", q == want);
  char* low =
      mmap((void*)0x10000000, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  printf("%d\n", low == (char*)0x10000000);
  return 0;
}
