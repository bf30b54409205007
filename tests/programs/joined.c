/* Conditions on what many decisions computed.
 * cover: --stdin --no-fuzz */
#include <labrys.h>
#include <stdio.h>

#define SIZE 24

static int lines;

/* A checksum, bit by bit. */
static unsigned checksum(const unsigned char *bytes, int size) {
  unsigned sum = 0xffffffff;
  for (int i = 0; i < size; i++) {
    sum ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) {
      if (sum & 1)
        sum = sum >> 1 ^ 0xedb88320;
      else
        sum >>= 1;
    }
  }
  return ~sum;
}

/* The number that hexadecimal digits stand for, -1 if there are others. */
static long number(const unsigned char *text) {
  long all = 0;
  for (int i = 0; i < 6; i++) {
    int digit = -1;
    if (text[i] >= '0' && text[i] <= '9')
      digit = text[i] - '0';
    else if (text[i] >= 'a' && text[i] <= 'f')
      digit = text[i] - 'a' + 10;
    else if (text[i] >= 'A' && text[i] <= 'F')
      digit = text[i] - 'A' + 10;
    if (digit < 0) return -1;
    all = all * 16 + digit;
  }
  return all;
}

/* How deep brackets are, by cases, counted in memory. */
static void depth(const unsigned char *text, int *now, int *most) {
  for (int i = 0; i < SIZE; i++) {
    switch (text[i]) {
    case '(':
    case '[': ++*now; break;
    case ')':
    case ']': --*now; break;
    case '\n': lines++; break;
    default: break;
    }
    if (*now > *most) *most = *now;
  }
}

int main(void) {
  unsigned char text[SIZE];
  if (fread(text, 1, SIZE, stdin) != SIZE) return 1;
  int spaces = 0, largest = 0, smallest = 255, now = 0, most = 0;
  for (int i = 0; i < SIZE; i++) {
    if (text[i] == ' ' || text[i] == '\t') spaces++;
    if (text[i] > largest) largest = text[i];
    if (text[i] < smallest) smallest = text[i];
  }
  depth(text, &now, &most);
  if (spaces == 11) labrys_target("count");
  if (largest - smallest == 77 && spaces == 3) labrys_target("range");
  if (now == 1 && most == 5 && lines == 4) labrys_target("depth");
  if (checksum(text, 12) == 0xcafebabe) labrys_target("checksum");
  if (number(text) % 9973 == 1234) labrys_target("number");
  if (spaces == SIZE && lines) labrys_target("both");
  return 0;
}
/* never: both */
