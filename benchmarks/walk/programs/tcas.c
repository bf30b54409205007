/* Collision avoidance in the manner of the Siemens program: involved, but linear, decisions. */
#include <labrys.h>

enum { ALTITUDE_STEP = 300, RATE_LIMIT = 600, MINIMUM = 300, NO_INTENT = 0, OLD = 0 };
static const int THRESHOLDS[4] = {400, 500, 640, 740};

struct state {
  int separation, confident, valid_report, own_altitude, own_rate, other_altitude;
  int layer, up, down, other_advice, other_equipped, climb_inhibit;
};

static int threshold(const struct state *s) { return THRESHOLDS[s->layer & 3]; }
static int inhibited(const struct state *s) { return s->climb_inhibit ? s->up + ALTITUDE_STEP / 3 : s->up; }
static int below(const struct state *s) { return s->own_altitude < s->other_altitude; }
static int above(const struct state *s) { return s->other_altitude < s->own_altitude; }

static int climb(const struct state *s) {
  int upward = inhibited(s) > s->down;
  if (upward) return !below(s) || (below(s) && !(s->down >= threshold(s)));
  return above(s) && s->separation >= MINIMUM && s->up >= threshold(s);
}

static int descend(const struct state *s) {
  int upward = inhibited(s) > s->down;
  if (upward) return below(s) && s->separation >= MINIMUM && s->down >= threshold(s);
  return !above(s) || (above(s) && s->up >= threshold(s));
}

static int advise(const struct state *s) {
  int enabled = s->confident && s->own_rate <= RATE_LIMIT && s->separation > RATE_LIMIT;
  int equipped = s->other_equipped == 1;
  int unknown = s->valid_report && s->other_advice == NO_INTENT;
  if (!(enabled && ((equipped && unknown) || !equipped))) return 0;
  int up = climb(s) && below(s), down = descend(s) && above(s);
  if (up && down) return 0;
  return up ? 1 : down ? 2 : 0;
}

int main(void) {
  struct state s;
  labrys_symbolic(&s, sizeof s, "state");
  switch (advise(&s)) {
    case 1: labrys_target("climb"); break;
    case 2: labrys_target("descend"); break;
    default: break;
  }
  return 0;
}
