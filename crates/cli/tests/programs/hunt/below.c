/* Every failing path of encode's unit says where out->next points, which has nothing to do with the
   failure, and the program only passes a null pointer there. The number of bytes that encode counts
   is one too small for a name that ends with an escaped dot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct out {
  unsigned char *bytes;
  int size;
  struct out *next;
};

static int encode(const char *name, int kind, struct out *out) {
  int size = 1;
  const char *end;
  for (end = name; *end; end++) {
    if (*end == '\\' && end[1]) end++;
    size++;
  }
  if (*name && end[-1] != '.') size++;
  if (out->next) size += out->next->size & 3;
  out->bytes = malloc(size);
  if (!out->bytes) return kind;
  unsigned char *to = out->bytes;
  while (*name) {
    unsigned char *length = to++;
    for (*length = 0; *name && *name != '.'; ++*length) {
      if (*name == '\\' && name[1]) name++;
      *to++ = *name++;
    }
    if (*name) name++;
  }
  *to++ = 0;
  out->size = to - out->bytes;
  return 0;
}

int main(void) {
  char line[64];
  if (!fgets(line, sizeof line, stdin)) return 0;
  line[strcspn(line, "\n")] = 0;
  if (strncmp(line, "name ", 5)) return 1;
  struct out out = {0};
  if (encode(line + 5, 3, &out) == 0) printf("%d\n", out.size);
  free(out.bytes);
  return 0;
}
