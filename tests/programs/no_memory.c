// Sizes of blocks for which there is no memory, of 64 bits and products of 32.
#include <errno.h>
#include <labrys.h>
#include <stdint.h>
#include <stdlib.h>

struct record {
  char name[1000];
};

int main(void) {
  size_t size;
  uint32_t count;
  labrys_symbolic(&size, sizeof size, "size");
  labrys_symbolic(&count, sizeof count, "count");
  if (size % 7 == 3) {
    char *text = malloc(size);
    if (!text) labrys_target("text");
    free(text);
  } else if (count > 1) {
    struct record *records = calloc(count, sizeof *records);
    if (!records) {
      if (errno == ENOMEM) labrys_target("records");
      return 1;
    }
    free(records);
  }
  return 0;
}
