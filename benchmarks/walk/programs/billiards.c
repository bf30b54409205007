/* A ball on a table: friction, cushions, a pocket in each corner, a round obstacle. Written before
 * the stack's order was changed, and run before and after. */
#include <labrys.h>
#include <math.h>

typedef struct { double x, y, dx, dy; } ball;

#define WIDTH 10.0
#define HEIGHT 5.0
#define POST_X 6.0
#define POST_Y 2.0
#define POST_R 0.5

/* Way to the post, negative for none. */
static double way_to_post(const ball *b) {
  double ox = b->x - POST_X, oy = b->y - POST_Y;
  double half = ox * b->dx + oy * b->dy;
  double c = ox * ox + oy * oy - POST_R * POST_R;
  if (c < 0) return 0;
  if (half >= 0) return -1;
  double inside = half * half - c;
  if (inside < 0) return -1;
  return -half - sqrt(inside);
}

static double way_to_wall(double at, double by, double length) {
  if (by > 1e-9) return (length - at) / by;
  if (by < -1e-9) return -at / by;
  return 1e9;
}

static int pocket(const ball *b) {
  int left = b->x < 0.2, right = b->x > WIDTH - 0.2;
  int low = b->y < 0.2, high = b->y > HEIGHT - 0.2;
  if (left && low) return 1;
  if (left && high) return 2;
  if (right && low) return 3;
  if (right && high) return 4;
  return 0;
}

static int play(ball *b, double speed) {
  for (int bounces = 0; bounces < 3; bounces++) {
    double post = way_to_post(b);
    double side = way_to_wall(b->x, b->dx, WIDTH), end = way_to_wall(b->y, b->dy, HEIGHT);
    double way = side < end ? side : end;
    int at_post = post >= 0 && post < way;
    if (at_post) way = post;
    double left = speed * speed - 2 * way;
    if (left < 0) {
      if (speed > 4) labrys_target("stops late");
      return 0;
    }
    speed = sqrt(left);
    b->x += way * b->dx;
    b->y += way * b->dy;
    int in = pocket(b);
    if (in) {
      if (bounces == 2) labrys_target("in after two");
      if (in == 3 && bounces == 1) labrys_target("third after one");
      return in;
    }
    if (at_post) {
      double nx = (b->x - POST_X) / POST_R, ny = (b->y - POST_Y) / POST_R;
      double along = b->dx * nx + b->dy * ny;
      if (along > -0.1) labrys_target("grazes the post");
      b->dx -= 2 * along * nx;
      b->dy -= 2 * along * ny;
    } else if (side < end) {
      b->dx = -b->dx;
    } else {
      b->dy = -b->dy;
    }
  }
  return -1;
}

int main(void) {
  struct { ball b; double speed; } start;
  labrys_symbolic(&start, sizeof start, "start");
  ball *b = &start.b;
  if (!(b->x > 0 && b->x < WIDTH && b->y > 0 && b->y < HEIGHT)) return 1;
  if (!(start.speed > 0 && start.speed < 20)) return 2;
  double length = b->dx * b->dx + b->dy * b->dy;
  if (!(length > 0.999 && length < 1.001)) return 3;
  switch (play(b, start.speed)) {
    case 1: return 11;
    case 2: return 12;
    case 3: return 13;
    case 4: return 14;
    default: return 0;
  }
}
