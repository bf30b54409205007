/* cover: --sym-arg 1:9 --sym-arg 2:6 -- a b
 * Long options, abbreviated ones, arguments behind an equals sign. */
#include <getopt.h>
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  static const struct option OPTIONS[] = {{"all", no_argument, NULL, 'a'},
                                          {"size", required_argument, NULL, 's'},
                                          {"mode", optional_argument, NULL, 'm'},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {NULL, 0, NULL, 0}};
  int option;
  while ((option = getopt_long(argc, argv, "as:q", OPTIONS, NULL)) != -1) switch (option) {
      case 'a': labrys_target("all"); break;
      case 's':
        if (atoi(optarg) == 77) labrys_target("size");
        break;
      case 'm':
        if (optarg && !strcmp(optarg, "fast")) labrys_target("mode");
        if (!optarg) labrys_target("no-mode");
        break;
      case 'q': labrys_target("quiet"); break;
      default: labrys_target("wrong");
    }
  return 0;
}
