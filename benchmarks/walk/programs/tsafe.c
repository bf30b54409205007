/* Air traffic: predicts the loss of separation of two aircraft and turns one of them. */
#include <labrys.h>
#include <math.h>

#define DEGREE (3.14159265358979323846 / 180)

static int in_range(double x, double low, double high) { return x >= low && x <= high; }

/* Distance of two aircraft after some time, first on a straight line, then on a turn. */
static double separation(double psi, double v1, double v2, double x, double y, double time) {
  double dx = x + time * (v2 * cos(psi) - v1);
  double dy = y + time * v2 * sin(psi);
  return sqrt(dx * dx + dy * dy);
}

static double turning(double radius, double angle, double speed) {
  double chord = 2 * radius * sin(angle / 2);
  return chord / speed;
}

int main(void) {
  double psi, v1, v2, x, y, bank, time;
  labrys_symbolic(&psi, sizeof psi, "psi");
  labrys_symbolic(&v1, sizeof v1, "v1");
  labrys_symbolic(&v2, sizeof v2, "v2");
  labrys_symbolic(&x, sizeof x, "x");
  labrys_symbolic(&y, sizeof y, "y");
  labrys_symbolic(&bank, sizeof bank, "bank");
  labrys_symbolic(&time, sizeof time, "time");
  if (!in_range(v1, 100, 600) || !in_range(v2, 100, 600)) return 1;
  if (!in_range(x, -100, 100) || !in_range(y, -100, 100)) return 1;
  if (!in_range(psi, -3.2, 3.2) || !in_range(time, 0, 1)) return 1;
  double now = separation(psi, v1, v2, x, y, 0);
  double then = separation(psi, v1, v2, x, y, time);
  if (now < 5) {
    labrys_target("conflict now");
  } else if (then < 5) {
    labrys_target("conflict to come");
    if (time > 0.1 && now > 50) labrys_target("conflict from afar");
  }
  if (!in_range(bank, 5, 35)) return 1;
  double radius = v1 * v1 / (68000 * tan(bank * DEGREE));
  if (radius > 10 && bank > 12) labrys_target("wide turn");
  double duration = turning(radius, psi, v1);
  if (duration > 0.05) labrys_target("long turn");
  if (atan2(y, x) > 3 && then == 2 * now) labrys_target("doubled");
  return 0;
}
