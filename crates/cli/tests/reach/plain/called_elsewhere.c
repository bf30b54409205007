// proved: control
// inputs: a7
#include <labrys.h>
#include <argp.h>
#include <dirent.h>
#include <link.h>
#include <glob.h>
#include <stdio.h>
#include <wordexp.h>
#include <sys/uio.h>
static int never, parsed, libraries, files;
static error_t parse(int key, char *argument, struct argp_state *state) { if (key == 'k') { parsed = argument[0]; labrys_target("argp"); } return 0; }
static int phdr(struct dl_phdr_info *i, size_t n, void *p) { libraries++; return 0; }
static int filter(const struct dirent *d) { files++; return 0; }
static __attribute__((noinline)) int body(int argc, char **argv) {
  struct argp_option options[] = {{"key", 'k', "K"}, {0}};
  struct argp a = {options, parse};
  char *words[] = {"x", "-k", "v", 0};
  argp_parse(&a, 3, words, 0, 0, 0);
  if (parsed == 'v') labrys_target("parsed");
  dl_iterate_phdr(phdr, 0);
  if (libraries > 1) labrys_target("libraries");
  struct dirent **list;
  scandir("/", &list, filter, alphasort);
  if (files > 2) labrys_target("files");
  char x[4] = "abc", y[4] = "def";
  struct iovec parts[] = {{x, 2}, {y, 2}};
  int ends[2];
  pipe(ends);
  write(ends[1], "1234", 4);
  readv(ends[0], parts, 2);
  if (x[1] == '2' && y[0] == '3') labrys_target("readv");
  wordexp_t w;
  setenv("V", "a b", 1);
  if (!wordexp("$V c", &w, 0) && w.we_wordc == 3) labrys_target("words");
  char *made = 0;
  if (asprintf(&made, "%d", files) > 0 && made[0] > '0') labrys_target("made");
  FILE *p = popen("echo hi", "r");
  char line[8] = "";
  if (fgets(line, sizeof line, p) && line[0] == 'h') labrys_target("process");
  if (pclose(p) == 0) labrys_target("closed");
  if (system("exit 3") == 768) labrys_target("system");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
