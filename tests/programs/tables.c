/* Tables: constants, initialized arrays, of arrays, in structures, of more than a byte. */
#include <labrys.h>

static const unsigned char squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
static unsigned short primes[12] = {2, 3, 5, 7, 1009, 2003, 3001, 4001, 5003, 6007, 7001, 8009};
static const char *const names[4] = {"zero", "alpha", "beta", "gamma"};
static int board[4][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 99}};
struct row {
  char key;
  long value;
};
static const struct row rows[5] = {{'a', 10}, {'c', -3}, {'q', 1L << 33}, {'z', 4}, {'b', 12}};

int main(void) {
  unsigned char i, j;
  labrys_symbolic(&i, sizeof i, "i");
  labrys_symbolic(&j, sizeof j, "j");
  if (squares[i & 15] == 121) labrys_target("square");
  if (primes[i % 12] == 6007) labrys_target("prime");
  if (names[j & 3][2] == 't') labrys_target("name");
  if (board[i & 3][j & 3] == 99) labrys_target("board");
  if (j < 5 && rows[j].value == 1L << 33) labrys_target("row");
  if (squares[squares[j & 3] & 15] == 81) labrys_target("twice");
  return 0;
}
