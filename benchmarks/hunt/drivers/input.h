/* The whole of a file as one allocation of exactly its length, and as a string. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *read_input(const char *path, size_t *length) {
  static unsigned char buffer[1 << 16];
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(2);
  }
  *length = fread(buffer, 1, sizeof buffer, file);
  fclose(file);
  unsigned char *bytes = malloc(*length ? *length : 1);
  if (!bytes) exit(2);
  memcpy(bytes, buffer, *length);
  return bytes;
}

static inline char *read_text(const char *path) {
  size_t length;
  unsigned char *bytes = read_input(path, &length);
  char *text = malloc(length + 1);
  if (!text) exit(2);
  memcpy(text, bytes, length);
  text[length] = 0;
  free(bytes);
  return text;
}
