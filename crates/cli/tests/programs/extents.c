/* Lengths of the input are believed: one is too large for its array, another for its source. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct packet { unsigned char kind, size; char body[30]; };
int main(void) {
  struct packet p;
  if (read(0, &p, sizeof p) != sizeof p) return 0;
  char local[16] = {0}, *heap;
  switch (p.kind) {
  case 'K': memcpy(local, p.body, p.size & 31); break;
  case 'L': memset(local, 1, p.size & 15); break;
  case 'M':
    heap = malloc(20);
    memset(heap, p.body[0], 20);
    memcpy(local, heap + 8, p.size & 15);
    free(heap);
    break;
  }
  return local[0];
}
