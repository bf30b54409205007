// Collision avoidance of aircraft: the decision logic of the benchmark of this name, written
// anew from its description.
#include <labrys.h>
#include <stdbool.h>

enum { OLEV = 600, MAXALTDIFF = 600, MINSEP = 300, NOZCROSS = 100 };
enum { NO_INTENT, DO_NOT_CLIMB, DO_NOT_DESCEND };
enum { TCAS_TA = 1, OTHER = 2 };
enum { UNRESOLVED, UPWARD_RA, DOWNWARD_RA };

static int cur_vertical_sep, own_tracked_alt, own_tracked_alt_rate, other_tracked_alt;
static int alt_layer, up_separation, down_separation, other_rac, other_capability;
static bool high_confidence, two_of_three, climb_inhibit;
static int positive_ra_threshold[4];

static int alim(void) { return positive_ra_threshold[alt_layer & 3]; }
static int inhibit_biased_climb(void) {
  return climb_inhibit ? up_separation + NOZCROSS : up_separation;
}
static bool own_below_threat(void) { return own_tracked_alt < other_tracked_alt; }
static bool own_above_threat(void) { return other_tracked_alt < own_tracked_alt; }

static bool non_crossing_biased_climb(void) {
  bool upward_preferred = inhibit_biased_climb() > down_separation;
  if (upward_preferred)
    return !own_below_threat() || (own_below_threat() && !(down_separation >= alim()));
  return own_above_threat() && cur_vertical_sep >= MINSEP && up_separation >= alim();
}

static bool non_crossing_biased_descend(void) {
  bool upward_preferred = inhibit_biased_climb() > down_separation;
  if (upward_preferred)
    return own_below_threat() && cur_vertical_sep >= MINSEP && down_separation >= alim();
  return !own_above_threat() || (own_above_threat() && up_separation >= alim());
}

static int alt_sep_test(void) {
  bool enabled = high_confidence && own_tracked_alt_rate <= OLEV && cur_vertical_sep > MAXALTDIFF;
  bool equipped = other_capability == TCAS_TA;
  bool intent_not_known = two_of_three && other_rac == NO_INTENT;
  int alt_sep = UNRESOLVED;
  if (enabled && ((equipped && intent_not_known) || !equipped)) {
    bool need_upward = non_crossing_biased_climb() && own_below_threat();
    bool need_downward = non_crossing_biased_descend() && own_above_threat();
    if (need_upward && need_downward) {
      labrys_target("t3");
      alt_sep = UNRESOLVED;
    } else if (need_upward) {
      labrys_target("t1");
      alt_sep = UPWARD_RA;
    } else if (need_downward) {
      labrys_target("t2");
      alt_sep = DOWNWARD_RA;
    }
  }
  return alt_sep;
}

int main(void) {
  int in[12];
  labrys_symbolic(in, sizeof in, "in");
  cur_vertical_sep = in[0];
  high_confidence = in[1];
  two_of_three = in[2];
  own_tracked_alt = in[3];
  own_tracked_alt_rate = in[4];
  other_tracked_alt = in[5];
  alt_layer = in[6];
  up_separation = in[7];
  down_separation = in[8];
  other_rac = in[9];
  other_capability = in[10];
  climb_inhibit = in[11];
  positive_ra_threshold[0] = 400;
  positive_ra_threshold[1] = 500;
  positive_ra_threshold[2] = 640;
  positive_ra_threshold[3] = 740;
  return alt_sep_test();
}
