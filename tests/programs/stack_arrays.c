/* Arrays on the stack whose sizes are input: what is asked for first may overflow the stack. */
#include <alloca.h>
#include <labrys.h>
#include <string.h>

static int last_of(unsigned rows, unsigned columns) {
  int cells[rows][columns];
  memset(cells, 1, sizeof cells);
  return cells[rows - 1][columns - 1];
}

int main(void) {
  unsigned rows, columns;
  unsigned length;
  labrys_symbolic(&rows, sizeof rows, "rows");
  labrys_symbolic(&columns, sizeof columns, "columns");
  labrys_symbolic(&length, sizeof length, "length");
  if (rows <= 0xffffff || columns <= 1) {
    if (length < 4) return 0;
    char *text = alloca(length);
    memset(text, 'x', 4);
    if (length == 40) labrys_target("forty");
    return 0;
  }
  if (columns > 0xffff || rows > 0x1000000) return 0;
  if (last_of(rows - 0xffffff, columns) && columns == 6) labrys_target("six");
  return 0;
}
