/* A file of settings, a name and a value a line, cut at the first equals sign before names are looked
 * up by comparing them: names of other lengths stand there only if others make room. */
/* cover: --stdin */
#include <labrys.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
  const char* name;
  int kind;
} names[] = {
  {"port", 1},          {"bind-interfaces", 2}, {"domain-needed", 3}, {"no-resolv", 4},      {"address", 5},
  {"cache-size", 6},    {"log-facility", 7},    {"user", 8},          {"dhcp-authority", 9}, {"expand-hosts", 10},
  {"local-service", 11}, {"read-ethers", 12},   {"mx-target", 13},    {"host-record", 14},   {"tftp-root", 15},
};

static int lookup(const char* name) {
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i].name, name)) return names[i].kind;
  return 0;
}

int main(void) {
  char line[80];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    char* value = strchr(line, '=');
    if (!value) continue;
    *value++ = 0;
    switch (lookup(line)) {
      case 2: labrys_target("bind"); break;
      case 6: labrys_target("cache"); break;
      case 9:
        if (!strcasecmp(value, "backup-server")) labrys_target("authority");
        break;
      case 15: labrys_target("root"); break;
    }
  }
  return 0;
}
