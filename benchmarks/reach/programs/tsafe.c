// Loss of separation between two aircraft in turns: trigonometry from libm, after the program of
// this name in the literature on solving complex constraints.
#include <labrys.h>
#include <math.h>

static double turn(double x0, double y0, double heading, double speed, double bank) {
  const double g = 9.81;
  double radius = speed * speed / (g * tan(bank));
  double x = x0 + radius * (1.0 - cos(heading));
  double y = y0 + radius * sin(heading);
  if (radius < 0.0) {
    labrys_target("t3");
    return -1.0;
  }
  return sqrt(x * x + y * y);
}

static int tsafe(double x0, double y0, double heading, double speed, double bank) {
  if (!(bank > 0.1 && bank < 1.0)) return 0;
  if (!(speed > 50.0 && speed < 300.0)) return 0;
  if (!(heading >= 0.0 && heading < 6.3)) return 0;
  if (!(x0 > -10000.0 && x0 < 10000.0 && y0 > -10000.0 && y0 < 10000.0)) return 0;
  double distance = turn(x0, y0, heading, speed, bank);
  if (distance < 100.0) {
    labrys_target("t1");
    return 2;
  }
  if (distance > 5000.0 && sin(heading) < -0.5) labrys_target("t2");
  return 1;
}

int main(void) {
  double in[5];
  labrys_symbolic(in, sizeof in, "in");
  return tsafe(in[0], in[1], in[2], in[3], in[4]);
}
