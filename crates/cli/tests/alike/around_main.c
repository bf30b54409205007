// options: -rdynamic
/* What runs before and behind main, streams of the program's own, and files. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char text[200];
static void note(const char* word) {
  strcat(text, word);
}
__attribute__((constructor(200))) static void first(void) {
  note("first ");
}
__attribute__((constructor)) static void second(void) {
  note("second ");
}
__attribute__((destructor)) static void last(void) {
  note("last ");
  puts(text);
}
static void at_end(void) {
  note("at end ");
}
static void with_status(int status, void* given) {
  sprintf(text + strlen(text), "%d %s ", status, (char*)given);
}
static ssize_t put(void* cookie, const char* bytes, size_t n) {
  *(int*)cookie += (int)n;
  return (ssize_t)n;
}
int called_by_name(int x) {
  return x * 3;
}
int main(int argc, char** argv, char** environment) {
  printf("%d %d\n", argc, environment[0] != 0);
  atexit(at_end);
  on_exit(with_status, "given");
  int written = 0;
  cookie_io_functions_t functions = {.write = put};
  FILE* own = fopencookie(&written, "w", functions);
  fprintf(own, "%s %d", "eight", 12);
  fclose(own);
  printf("%d\n", written);
  int (*found)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "called_by_name");
  void* library = dlopen("libm.so.6", RTLD_NOW);
  double (*root)(double) = (double (*)(double))dlsym(library, "sqrt");
  printf("%d %.3f\n", found ? found(5) : -1, root(2));
  char* memory = 0;
  size_t size = 0;
  FILE* stream = open_memstream(&memory, &size);
  for (int c; (c = getchar()) != EOF;) fputc(c ^ 1, stream);
  fclose(stream);
  printf("%zu %.20s\n", size, memory);
  setvbuf(stdout, 0, _IONBF, 0);
  exit(11);
}
