/* Arrays on the stack that are not there once for the whole function: of variable size, and in a
 * loop of loops. */
#include <labrys.h>

int main(void) {
  unsigned char in[2];
  labrys_symbolic(in, sizeof in, "in");
  for (int n = 20; n < 24; n++) {
    unsigned char sized[n];
    unsigned char fixed[24];
    int found = 0, kept = 0;
    for (int i = 0; i < n; i++) sized[i] = fixed[i] = (unsigned char)i;
    sized[n - 9] = in[0];
    fixed[n - 8] = in[1];
    for (int i = 0; i < n; i++)
      if (sized[i] == 'v') found = 1;
    for (int i = n - 1; i >= 0; i--)
      if (fixed[i] == 'f') kept = 1;
    if (found && n == 22) labrys_target("sized");
    if (kept && n == 23) labrys_target("fixed");
  }
  return 0;
}
