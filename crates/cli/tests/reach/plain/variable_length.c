// inputs: 07f7 05ff 0000 0102 0303
// each: alone
#include <labrys.h>
static __attribute__((noinline)) void put(int* p, int n, int value) {
  for (int i = 0; i < n; i++) p[i] += value;
}
int main(void) {
  signed char in[2];
  labrys_symbolic(in, 2, "in");
  int n = (in[0] & 7) + 1, b = in[1];
  int first[n];
  memset(first, 0, n * sizeof *first);
  for (int i = 0; i < n; i++) first[i] = i * b + 8;
  if (first[n - 1] == -55) labrys_target("loop");
  if (first[0] == 8) labrys_target("first");

  int second[n];
  memset(second, 0, n * sizeof *second);
  for (int i = 0; i < 2; i++) put(second, n, b);
  if (second[0] == -2) labrys_target("call");

  int* third = __builtin_alloca(n * sizeof(int));
  memset(third, 0, n * sizeof *third);
  if (b > 0)
    for (int i = 0; i < n; i++) memcpy(third + i, &b, sizeof b);
  if (third[n - 1] == 3) labrys_target("copied");

  int sum = 0;
  for (int round = 1; round < 3; round++) {
    int fourth[round * n];
    memset(fourth, 0, sizeof fourth);
    for (int i = 0; i < round * n; i++) fourth[i] = round;
    sum += fourth[n - 1];
  }
  if (sum == 3) labrys_target("inside");

  int fifth[n], sixth[n];
  fifth[0] = sixth[0] = 0;
  int* either = b & 1 ? fifth : sixth;
  for (int i = 0; i < n; i++) either[i] = b;
  if (fifth[0] == -9) labrys_target("either");
  return 0;
}
