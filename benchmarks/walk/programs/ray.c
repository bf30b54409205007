/* A small ray tracer: spheres and a plane, shading, shadows, reflection. */
#include <labrys.h>
#include <math.h>

typedef struct { double x, y, z; } vector;
typedef struct { vector center; double radius, shine; } sphere;
typedef struct { vector from, to; } ray;

static vector plus(vector a, vector b) { return (vector){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vector minus(vector a, vector b) { return (vector){a.x - b.x, a.y - b.y, a.z - b.z}; }
static vector times(vector a, double f) { return (vector){a.x * f, a.y * f, a.z * f}; }
static double dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static int unit(vector *a) {
  double length = sqrt(dot(*a, *a));
  if (length < 1e-9) return 0;
  *a = times(*a, 1 / length);
  return 1;
}

/* Distance along the ray, negative for none. */
static double meets_sphere(const sphere *s, const ray *r) {
  vector d = minus(s->center, r->from);
  double v = dot(d, r->to);
  if (v - s->radius > 1000) return -1;
  double t = s->radius * s->radius + v * v - dot(d, d);
  if (t < 0) return -1;
  double root = sqrt(t);
  if (v - root > 1e-6) return v - root;
  return v + root > 1e-6 ? v + root : -1;
}

static double meets_ground(const ray *r) {
  if (r->to.y > -1e-6) return -1;
  return -r->from.y / r->to.y;
}

static const sphere SCENE[2] = {{{0, 1, 8}, 1, 0.5}, {{2, 2, 12}, 2, 0}};
static const vector LIGHT = {0.6, 0.8, 0};

static int in_shadow(vector at) {
  ray r = {at, LIGHT};
  for (int i = 0; i < 2; i++) {
    if (meets_sphere(&SCENE[i], &r) > 0) return 1;
  }
  return 0;
}

static double shade(const ray *r, int depth) {
  double nearest = 1e9;
  int hit = -1;
  for (int i = 0; i < 2; i++) {
    double t = meets_sphere(&SCENE[i], r);
    if (t > 0 && t < nearest) nearest = t, hit = i;
  }
  double ground = meets_ground(r);
  if (ground > 0 && ground < nearest) nearest = ground, hit = 2;
  if (hit < 0) return 0.1;
  vector at = plus(r->from, times(r->to, nearest));
  vector normal = {0, 1, 0};
  if (hit < 2) {
    normal = minus(at, SCENE[hit].center);
    if (!unit(&normal)) return 0;
  }
  double light = dot(normal, LIGHT);
  if (light < 0) {
    light = 0;
    if (hit == 0) labrys_target("dark side");
  }
  if (in_shadow(at)) {
    light *= 0.2;
    if (hit == 2) labrys_target("shadow on the ground");
  }
  if (light > 0.95 && hit == 1) labrys_target("bright");
  if (hit == 0 && depth < 1) {
    labrys_target("reflection");
    ray next = {at, minus(r->to, times(normal, 2 * dot(r->to, normal)))};
    double other = shade(&next, depth + 1);
    if (other > 0.5) labrys_target("bright reflection");
    light = light * 0.5 + other * SCENE[0].shine;
  }
  return light;
}

int main(void) {
  ray r;
  labrys_symbolic(&r, sizeof r, "ray");
  if (!(r.from.y > 0.1 && r.from.y < 100 && fabs(r.from.x) < 100 && fabs(r.from.z) < 100)) return 1;
  if (!(dot(r.to, r.to) < 1e6) || !unit(&r.to)) return 2;
  return shade(&r, 0) > 0.5;
}
