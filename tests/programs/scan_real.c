/* Floating-point numbers by scanf, fscanf and sscanf. */
#include <labrys.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  double x, y;
  float narrow;
  char word[8], unit;
  int used;
  switch (getchar()) {
    case 'p':
      if (scanf("%lf %lf", &x, &y) != 2)
        labrys_target("not-two");
      else if (x > 2.5 && x + y == 10)
        labrys_target("sum");
      break;
    case 'w':
      if (scanf("%3f%c", &narrow, &unit) == 2 && narrow == 12.0f && unit == '5')
        labrys_target("width");
      break;
    case 's':
      if (scanf("%7s", word) == 1 && sscanf(word, "%lg,%n", &x, &used) == 1 && x == 1.5e3)
        labrys_target("exponent");
      break;
    case 'i':
      if (scanf("%lf", &x) == 1 && isinf(x)) labrys_target("infinite");
      break;
    case 'h':
      if (scanf("%f", &narrow) == 1 && narrow > 4e9f) labrys_target("huge");
  }
  return 0;
}
