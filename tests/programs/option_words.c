/* cover: --sym-arg 1:10 --sym-arg 2:6 --sym-arg 3:4
 * Options are found though no argument looks like one. */
#include <getopt.h>
#include <labrys.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  static const struct option longs[] = {{"output", required_argument, 0, 'o'},
                                        {"count", required_argument, 0, 'c'},
                                        {"quick", no_argument, 0, 'q'},
                                        {0, 0, 0, 0}};
  int c, count = 0, quick = 0;
  const char *output = 0;
  opterr = 0;
  while ((c = getopt_long(argc, argv, "o:c:q", longs, 0)) != -1) switch (c) {
    case 'o': output = optarg; break;
    case 'c': count = atoi(optarg); break;
    case 'q': quick++; break;
    default: labrys_target("wrong"); return 2;
    }
  if (quick) labrys_target("quick");
  if (output && !strcmp(output, "x.o")) labrys_target("output");
  if (count == 17) labrys_target("count");
  if (quick && count == 5) labrys_target("both");
  if (optind < argc && !strcmp(argv[optind], "in")) labrys_target("operand");
  return 0;
}
