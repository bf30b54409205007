/* Threads with the smallest stack, with one of their own, and without attributes. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <limits.h>
static int depth(int n, volatile char* p) {
  char b[64];
  memset(b, n, sizeof b);
  b[n & 63] ^= *p;
  return n == 0 ? b[3] : depth(n - 1, b) + 1;
}
static void* work(void* a) {
  char c = 1;
  return (void*)(long)depth(60, &c);
}
int main(void) {
  pthread_t t;
  pthread_attr_t a;
  void* r;
  pthread_attr_init(&a);
  pthread_attr_setstacksize(&a, 16384);
  for (int i = 0; i < 3; i++) {
    if (pthread_create(&t, &a, work, 0)) return 3;
    pthread_join(t, &r);
    printf("%ld\n", (long)r);
  }
  size_t s;
  pthread_attr_getstacksize(&a, &s);
  printf("%zu\n", s);
  static char own[65536] __attribute__((aligned(4096)));
  pthread_attr_setstack(&a, own, sizeof own);
  if (pthread_create(&t, &a, work, 0)) return 4;
  pthread_join(t, &r);
  printf("%ld\n", (long)r);
  if (pthread_create(&t, 0, work, 0)) return 4;
  pthread_join(t, &r);
  printf("%ld\n", (long)r);
  return 0;
}
