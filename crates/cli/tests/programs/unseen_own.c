/* What functions of the library take through pointers, pipes and files of the program's own. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long (*const number)(const char *) = a64l;
static struct entry {
  const char *name;
  char *(*act)(int);
} table[] = {{"zero", NULL}, {"message", strsignal}};

int main(void) {
  char line[64] = "", back[64] = "";
  int ends[2], c;
  if (!fgets(line, 32, stdin)) return 1;
  if (number(line) == 77) puts("number");
  if (table[1].act(line[0])) puts("signal");
  if (pipe(ends)) return 1;
  if (write(ends[1], line, strlen(line)) < 1 || read(ends[0], back, 4) < 1) return 1;
  if (back[0] == 'q') puts("pipe");
  FILE *own = tmpfile(), *other = tmpfile();
  if (!own || !other) return 1;
  fprintf(own, "%s", line);
  fputs("nothing of the input", other);
  rewind(own);
  rewind(other);
  if (fgets(back, 5, own) && back[1] == 'q') puts("file");
  if ((c = getc(own)) == 'q') puts("character");
  int found;
  rewind(own);
  if (fscanf(own, "%d", &found) == 1 && found == 1212) puts("number");
  char *text;
  size_t size;
  FILE *memory = open_memstream(&text, &size);
  if (!memory) return 1;
  fputs(line, memory);
  fclose(memory);
  if (size > 5 && text[0] == 'q') puts("memory");
  if (fgets(back, 5, other) && back[1] == 'q') puts("other");
  return 0;
}
