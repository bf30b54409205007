/* getline and getdelim: memory that grows, records with another end. */
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *line = NULL;
  size_t room = 0;
  ssize_t n = getline(&line, &room, stdin);
  if (n == -1) {
    labrys_target("empty");
    return 0;
  }
  if (n == 7 && !strncmp(line, "theseus", 6) && line[6] == '\n') labrys_target("line");
  n = getdelim(&line, &room, ';', stdin);
  if (n == 4 && line[0] == 'a' && line[2] == 'b') labrys_target("record");
  if (n > 0 && line[n - 1] != ';') labrys_target("unended");
  n = getline(&line, &room, stdin);
  if (n > 1 && !strcmp(line, "go\n")) labrys_target("second-line");
  free(line);
  return 0;
}
