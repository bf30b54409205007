/* Quicksort of pseudo-random numbers: concrete work. */
#include <stdio.h>
#include <stdlib.h>

static unsigned numbers[300000];

static void quicksort(unsigned *a, int left, int right) {
  int i = left, j = right;
  unsigned pivot = a[(left + right) / 2];
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) {
      unsigned t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  if (left < j) quicksort(a, left, j);
  if (i < right) quicksort(a, i, right);
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1, n = sizeof numbers / sizeof *numbers;
  unsigned state = 1;
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < n; i++) numbers[i] = state = state * 1103515245 + 12345;
    quicksort(numbers, 0, n - 1);
  }
  printf("%u\n", numbers[n / 2]);
}
