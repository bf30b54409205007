// The classification of triangles.
#include <labrys.h>

static int trityp(int i, int j, int k) {
  int type = 0;
  if (i <= 0 || j <= 0 || k <= 0) return 4;
  if (i == j) type += 1;
  if (i == k) type += 2;
  if (j == k) type += 3;
  if (type == 0) {
    if (i + j <= k || j + k <= i || i + k <= j) return 4;
    labrys_target("t1");
    return 1;
  }
  if (type > 3) {
    labrys_target("t2");
    return 3;
  }
  if (type == 1 && i + j > k) return 2;
  if (type == 2 && i + k > j) {
    labrys_target("t3");
    return 2;
  }
  if (type == 3 && j + k > i) return 2;
  return 4;
}

int main(void) {
  int side[3];
  labrys_symbolic(side, sizeof side, "side");
  return trityp(side[0], side[1], side[2]);
}
