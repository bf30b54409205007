/* Loops that carry values: sums, counters, a collatz walk, nested loops. */
#include <labrys.h>

int main(void) {
  unsigned char data[12];
  unsigned start;
  labrys_symbolic(data, sizeof data, "data");
  labrys_symbolic(&start, sizeof start, "start");
  unsigned sum = 0, product = 1;
  for (int i = 0; i < 12; i++) {
    sum += data[i] * (i + 1);
    product = product * 31 + data[i];
  }
  if (sum == 3333) labrys_target("weighted-sum");
  if (product == 0xdeadbeef) labrys_target("polynomial");
  int pairs = 0;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) pairs += data[i] == data[j];
  if (pairs == 3) labrys_target("three-pairs");
  int steps = 0;
  for (unsigned n = start & 255; n > 1 && steps < 60; steps++) n = n % 2 ? 3 * n + 1 : n / 2;
  if (steps == 20) labrys_target("collatz");
  int count = 0;
  while (count < 10 && data[count] == (unsigned char)(count * count)) count++;
  if (count == 10) labrys_target("squares");
  return 0;
}
