/* A planted failure behind a check of the input. */
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char text[32];
  size_t n = fread(text, 1, sizeof text - 1, stdin);
  text[n] = 0;
  if (strncmp(text, "GET /", 5)) return 1;
  labrys_target("request");
  char *end = strchr(text + 5, ' ');
  if (!end) return 2;
  if (end - text == 12 && !strcmp(end + 1, "HTTP/0")) abort();
  return 0;
}
/* failures: SIGABRT */
