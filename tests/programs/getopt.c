/* cover: --sym-arg 1:4 --sym-arg 2:8 -- a b
 * Short options. */
#include <labrys.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int option, verbose = 0, level = 0, wrong = 0;
  const char *name = NULL;
  while ((option = getopt(argc, argv, "vl:n:")) != -1) switch (option) {
      case 'v': verbose++; break;
      case 'l': level = atoi(optarg); break;
      case 'n': name = optarg; break;
      default: wrong = 1;
    }
  if (verbose == 2) labrys_target("twice");
  if (level == 42) labrys_target("level");
  if (name && name[0] == 'q' && !verbose) labrys_target("name");
  if (wrong) labrys_target("wrong");
  if (optind == 2 && verbose) labrys_target("rest");
  return 0;
}
