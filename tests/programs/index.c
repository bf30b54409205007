/* Loads at symbolic indices: constant tables, arrays on stack and heap, in two dimensions,
 * structures; stores at symbolic indices; bounds. */
#include <labrys.h>
#include <stdlib.h>

static const unsigned short PRIMES[32] = {2,  3,  5,  7,  11, 13, 17, 19,  23,  29, 31,
                                          37, 41, 43, 47, 53, 59, 61, 67,  71,  73, 79,
                                          83, 89, 97, 101, 103, 107, 109, 113, 127, 131};
static int numbers[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
static const char STATES[4][5] = {{1, 2, 0, 0, 3}, {0, 2, 1, 0, 0}, {3, 0, 0, 1, 2}, {0, 0, 3, 3, 0}};
struct row { char name; int value; };

int main(void) {
  unsigned char i[8];
  labrys_symbolic(i, sizeof i, "i");
  if (i[0] < 32 && i[1] < 32 && PRIMES[i[0]] * PRIMES[i[1]] == 10403) labrys_target("primes");
  if (i[2] < 16 && numbers[i[2]] == 7) labrys_target("variable");
  struct row rows[6];
  for (int k = 0; k < 6; k++) rows[k] = (struct row){(char)('a' + k), k * k * k};
  if (i[3] < 6 && rows[i[3]].value == 64) labrys_target("structure");
  long *heap = malloc(10 * sizeof *heap);
  for (int k = 0; k < 10; k++) heap[k] = 1000L * k + i[4];
  if (i[5] < 10 && heap[i[5]] == 7042) labrys_target("heap");
  int state = 0;
  for (int k = 0; k < 6; k++) state = STATES[state][i[k] % 5];
  if (state == 3 && i[0] % 5 == 1) labrys_target("automaton");
  unsigned char seen[16] = {0};
  seen[i[6] & 15] = 1;
  if (seen[13]) labrys_target("stored");
  if (i[7] >= 16 && i[7] < 24 && numbers[i[7] - 16] == 9) labrys_target("shifted");
  free(heap);
  return 0;
}
