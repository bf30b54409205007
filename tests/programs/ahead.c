/* Loops over arrays of which a few bytes are symbolic: none is overlooked, however far ahead it
 * lies, in whatever direction and steps the loop goes.
 *
 * never: never */
#include <labrys.h>
#include <string.h>

static int far[4096], copied[4096], spread[400], from[200];
static struct { int value; char rest[1020]; } rows[200];
static unsigned char table[256], order[200];
static long grid[64][64];

static int find(const int *p, const int *end, int wanted) {
  int found = 0;
  while (p < end)
    if (*p++ == wanted) found = 1;
  return found;
}

int main(void) {
  char text[40] = "................................";
  int down = 0, row = 0, wrapped = 0, small = 0, late = 0, column = 0, moved = 0;
  labrys_symbolic(&far[3000], sizeof far[0], "far");
  labrys_symbolic(&rows[150].value, sizeof rows[0].value, "row");
  labrys_symbolic(&table[3], 1, "table");
  labrys_symbolic(&text[17], 1, "text");
  labrys_symbolic(&from[90], sizeof from[0], "from");
  labrys_symbolic(&grid[50][7], sizeof grid[0][0], "grid");

  if (find(far, far + 4096, 0x1234567)) labrys_target("far");
  for (int i = 4095; i >= 0; i--)
    if (far[i] == 0x7654321) down = 1;
  if (down) labrys_target("down");
  for (int i = 0; i < 200; i++)
    if (rows[i].value == 777) row = 1;
  if (row) labrys_target("row");
  unsigned char k = 60;
  for (int i = 0; i < 220; i++, k++)
    if (table[k] == 'w') wrapped = 1;
  if (wrapped) labrys_target("wrapped");
  for (int i = 0; i < 32; i++)
    if (text[i] == 's') small = 1;
  if (small) labrys_target("small");
  for (int i = 0; i < 64; i++)
    if (grid[i][7] == 99) column = 1;
  if (column) labrys_target("column");

  /* Labels go where they went in another loop. */
  for (int i = 0; i < 4096; i++) copied[i] = far[i];
  if (find(copied, copied + 4096, 31337)) labrys_target("copied");
  /* Labels are stored ahead of the loop itself. */
  for (int i = 0; i < 200; i++) order[i] = (unsigned char)(i * 7 % 200);
  for (int i = 0; i < 200; i++) {
    spread[i + 40] = from[order[i]];
    if (spread[i] == 5150) late = 1;
  }
  if (late) labrys_target("late");
  /* What a loop overwrites has no labels any more; what it leaves keeps them. */
  for (int i = 0; i < 149; i++) rows[i].value = i;
  for (int i = 199; i > 150; i--) rows[i].value = i;
  for (int i = 0; i < 200; i++)
    if (rows[i].value == -9) moved = 1;
  if (moved) labrys_target("kept");

  if (!memcmp(text + 16, ".c.", 3)) labrys_target("compared");
  if (memcmp(text + 2, "...", 3)) labrys_target("never");
  return 0;
}
