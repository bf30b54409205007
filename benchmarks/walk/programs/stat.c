/* Mean and standard deviation of a list of numbers, with what one asks of them. */
#include <labrys.h>
#include <math.h>

#define COUNT 5

static double mean(const double *v) {
  double sum = 0;
  for (int i = 0; i < COUNT; i++) sum += v[i];
  return sum / COUNT;
}

static double deviation(const double *v) {
  double m = mean(v), sum = 0;
  for (int i = 0; i < COUNT; i++) sum += (v[i] - m) * (v[i] - m);
  return sqrt(sum / (COUNT - 1));
}

int main(void) {
  double v[COUNT];
  int n[COUNT];
  labrys_symbolic(v, sizeof v, "v");
  labrys_symbolic(n, sizeof n, "n");
  double m = mean(v), s = deviation(v);
  if (m == 12.5) {
    labrys_target("mean");
    if (s == 0) labrys_target("all equal");
    if (s > 3 && s < 3.01) labrys_target("deviation");
  }
  int outliers = 0;
  for (int i = 0; i < COUNT; i++) {
    if (fabs(v[i] - m) > 1.5 * s) outliers++;
  }
  if (outliers == 1) labrys_target("outlier");
  long sum = 0, squares = 0;
  for (int i = 0; i < COUNT; i++) {
    if (n[i] < -1000 || n[i] > 1000) return 1;
    sum += n[i];
    squares += (long)n[i] * n[i];
  }
  long variance = COUNT * squares - sum * sum;
  if (sum == 77 && variance == 2646) labrys_target("variance");
  if (variance > 12345678 && sum == 0) labrys_target("wide");
  return 0;
}
