/* Settings in sections, line by line: goals that need several good lines at once, and counters in
 * variables that are looked at behind the loop. */
#include <labrys.h>
#include <stdio.h>
#include <string.h>

static struct { char key[16], value[24]; int section; } table[16];
static int entries, sections, comments;

static int parse(char *line) {
  while (*line == ' ') line++;
  if (!*line || *line == '\n') return 1;
  if (*line == ';' || *line == '#') { comments++; return 1; }
  if (*line == '[') {
    char *end = strchr(line, ']');
    if (!end || end == line + 1) return 0;
    sections++;
    return 1;
  }
  char *equals = strchr(line, '=');
  if (!equals || equals == line || equals - line >= 16 || !sections || entries == 16) return 0;
  memcpy(table[entries].key, line, equals - line);
  size_t length = strcspn(equals + 1, "\n");
  if (length >= 24) return 0;
  memcpy(table[entries].value, equals + 1, length);
  table[entries++].section = sections;
  return 1;
}

int main(void) {
  char line[64];
  int lines = 0, on = 0;
  while (fgets(line, sizeof line, stdin)) {
    lines++;
    if (!parse(line)) return 1;
  }
  if (sections >= 3 && entries >= 4) labrys_target("sections");
  if (comments >= 2 && entries >= 3) labrys_target("comments");
  if (lines >= 8 && entries == 5 && sections == 2) labrys_target("exact");
  for (int i = 0; i < entries; i++) {
    if (!strcmp(table[i].value, "on")) on++;
    for (int j = 0; j < i; j++)
      if (!strcmp(table[i].key, table[j].key) && table[i].section == table[j].section)
        labrys_target("duplicate");
  }
  if (on >= 3) labrys_target("on");
  return 0;
}
