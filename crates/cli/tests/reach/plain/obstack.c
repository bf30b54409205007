#include <labrys.h>
#include <obstack.h>
#include <stdlib.h>
static int g;
static void *al(size_t n) {
  g = 7;
  labrys_target("alloc");
  return malloc(n);
}
static void fr(void*p) {
  labrys_target("free");
  free(p);
}
#define obstack_chunk_alloc al
#define obstack_chunk_free fr
int main(void) {
  struct obstack o;
  obstack_init(&o);
  obstack_grow(&o, "abc", 3);
  obstack_free(&o, 0);
  if (g == 7) labrys_target("g");
  return 0;
}
