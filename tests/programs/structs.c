/* Structures, bit-fields, unions, arrays of structures, two dimensions. */
#include <labrys.h>
#include <stdint.h>
#include <string.h>

struct header {
  unsigned version : 4, length : 4;
  unsigned flags : 3, offset : 13;
  int delta : 7;
};
struct entry {
  char tag;
  short value;
  struct { uint8_t x, y; } at[3];
};
union word {
  uint32_t whole;
  uint8_t bytes[4];
  float real;
};

int main(void) {
  struct header h;
  struct entry table[3];
  union word w;
  labrys_symbolic(&h, sizeof h, "h");
  labrys_symbolic(table, sizeof table, "table");
  labrys_symbolic(&w, sizeof w, "w");
  if (h.version == 4 && h.length == 5 && h.offset == 1234) labrys_target("bit-fields");
  if (h.delta == -33 && h.flags == 6) labrys_target("signed-bit-field");
  h.offset += 7;
  h.delta = (int)h.offset % 50;
  if (h.delta == 41 && h.offset > 8000) labrys_target("stored-bit-field");
  if (table[2].tag == 'z' && table[1].value == -2 && table[0].at[2].y == 9)
    labrys_target("array");
  struct entry copy = table[1];
  copy.at[0].x += copy.at[1].x;
  if (copy.at[0].x == 200 && copy.value == 300) labrys_target("copied");
  if (w.bytes[1] == 0xbe && w.whole >> 16 == 0xdead) labrys_target("union");
  int grid[3][4];
  memset(grid, 0, sizeof grid);
  for (int i = 0; i < 3; i++) grid[i][i + 1] = table[i].tag;
  if (grid[0][1] * 100 + grid[1][2] * 10 + grid[2][3] == 11777) labrys_target("grid");
  return 0;
}
