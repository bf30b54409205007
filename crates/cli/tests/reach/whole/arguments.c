#include <labrys.h>
#include <string.h>
int main(int argc, char **argv) {
  int verbose = 0, i;
  const char *name = 0;
  for (i = 1; i < argc && argv[i][0] == '-'; i++) {
    if (argv[i][1] == 'v') verbose++;
    if (argv[i][1] == 'n') name = argv[i] + 2;
  }
  if (verbose > 0) labrys_target("verbose");
  if (name && !strcmp(name, "abc")) labrys_target("named");
  if (argc < 0) labrys_target("no_count");
  if (verbose < 0) labrys_target("quiet");
  if (i == 1 && name) labrys_target("nameless");
  return 0;
}
