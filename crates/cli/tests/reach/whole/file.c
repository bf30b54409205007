#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  if (argc != 2) return 2;
  FILE *in = fopen(argv[1], "r");
  if (!in) { labrys_target("no_file"); return 1; }
  unsigned char magic[4];
  if (fread(magic, 1, 4, in) != 4) { labrys_target("short"); return 1; }
  if (magic[0] != 'L' || magic[1] != 'B') return 1;
  labrys_target("magic");
  int size = magic[2] | magic[3] << 8;
  if (size > 65535) labrys_target("huge");
  if (size == 1234) labrys_target("size");
  int sum = 0, c;
  for (int i = 0; i < size && (c = getc(in)) != EOF; i++) sum += c;
  if (size == 3 && sum == 300) labrys_target("sum");
  if (sum < 0) labrys_target("negative");
  fclose(in);
  return 0;
}
