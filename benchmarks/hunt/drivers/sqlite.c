/* SQLite: executes a file as SQL text in a database in memory, and reads all rows. Each value is an allocation of
   its own (no lookaside), so that its end is known. */
#include "input.h"

#include "sqlite3.h"

static int row(void *state, int columns, char **values, char **names) {
  (void)state, (void)columns, (void)values, (void)names;
  return 0;
}

int main(int count, char **words) {
  if (count != 2) return 2;
  char *text = read_text(words[1]);
  sqlite3 *database;
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
  int status = sqlite3_open(":memory:", &database);
  if (status == SQLITE_OK) status = sqlite3_exec(database, text, row, NULL, NULL);
  sqlite3_close(database);
  free(text);
  return status != SQLITE_OK;
}
