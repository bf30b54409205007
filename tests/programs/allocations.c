/* Sizes of blocks: zero, too small, refused, wrapped around; and what comes behind them.
 * failures: heap-buffer-overflow null-dereference */
#include <labrys.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
  uint32_t words[3];
};

/* The size wraps around, and the loop ends with the input. */
static void wrapped(uint32_t count) {
  struct record *records = malloc(count * (uint32_t)sizeof *records);
  if (!records) return;
  for (uint32_t i = 0; i < count && i < 64; i++) {
    if (i == 4 && count > 1000000) labrys_target("wrapped");
    records[i].words[0] = i;
  }
  free(records);
}

/* Nobody looks whether there is memory. */
static void refused(int64_t count) {
  if (count < 0) return;
  int64_t *numbers = malloc(count * sizeof *numbers);
  if (!numbers) labrys_target("refused");
  numbers[0] = count;
  puts((char *)numbers);
  free(numbers);
}

/* Five bytes are stored whatever the size. */
static void small(uint16_t size) {
  if (size < 3) return;
  char *text = malloc(size);
  memcpy(text, "four", 5);
  if (size < 5) labrys_target("small");
  free(text);
}

/* What the size is decides later. */
static void behind(uint32_t size) {
  char *text = calloc(size & 0xffff, 1);
  if (size == 21) labrys_target("twenty-one");
  if (size == 40000) labrys_target("forty thousand");
  free(text);
}

static void products(uint32_t width, uint32_t height) {
  if (width < 16 || height < 16) return;
  uint8_t *pixels = malloc(width * height);
  if (pixels && width * height < 16) labrys_target("product");
  free(pixels);
}

int main(void) {
  uint8_t kind, rest[8];
  if (fread(&kind, 1, 1, stdin) != 1 || fread(rest, 1, 8, stdin) != 8) return 1;
  uint32_t a, b;
  int64_t whole;
  memcpy(&a, rest, 4);
  memcpy(&b, rest + 4, 4);
  memcpy(&whole, rest, 8);
  switch (kind) {
  case 'w': wrapped(a); break;
  case 'r': refused(whole); break;
  case 's': small((uint16_t)a); break;
  case 'b': behind(a); break;
  case 'p': products(a, b); break;
  default: break;
  }
  return 0;
}
