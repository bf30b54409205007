/* Products of matrices of doubles: concrete work. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 128 };
static double a[N][N], b[N][N], c[N][N];

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = (i * 7 + j) % 13, b[i][j] = (i + j * 5) % 11;
  for (int r = 0; r < rounds * 2; r++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
        c[i][j] = sum;
      }
    a[r % N][r / N % N] = c[r % N][0] / 1e6;
  }
  printf("%g\n", c[N - 1][N - 1]);
}
