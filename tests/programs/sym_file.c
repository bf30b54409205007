/* cover: --sym-file settings.conf:12 --sym-file data/words:8
 * Two files that the program opens by name. */
#include <fcntl.h>
#include <labrys.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char line[16], word[8];
  FILE *f = fopen("settings.conf", "r");
  int fd = open("data/words", O_RDONLY);
  if (!f || fd < 0) {
    labrys_target("missing");
    return 1;
  }
  if (!fgets(line, sizeof line, f)) line[0] = 0;
  ssize_t n = read(fd, word, sizeof word);
  if (!strcmp(line, "mode=fast\n")) labrys_target("setting");
  if (n == 8 && !memcmp(word, "labyrnth", 8)) labrys_target("word");
  if (n == 3 && word[0] == line[0] && line[0] == 'q') labrys_target("both");
  if (n == 0 && line[0] == 0) labrys_target("empty");
  return 0;
}
/* never: missing */
