/* Children without exec, by fork, vfork and posix_spawn; memory that is shared. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;
static int *shared, private = 1;
int main(void) {
  int status, pipes[2];
  shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pipe(pipes);
  for (int i = 0; i < 3; i++) {
    pid_t child = fork();
    if (!child) {
     private
      += i;
      shared[i] = private * 10;
      write(pipes[1], "abc" + i, 1);
      _exit(i + 4);
    }
    waitpid(child, &status, 0);
    char c;
    read(pipes[0], &c, 1);
    printf("%d %d %c %d\n", WEXITSTATUS(status), shared[i], c, private);
  }
  pid_t child = vfork();
  if (!child) _exit(9);
  waitpid(child, &status, 0);
  printf("%d\n", WEXITSTATUS(status));
  child = fork();
  if (!child) abort();
  waitpid(child, &status, 0);
  printf("%d\n", WTERMSIG(status));
  char* words[] = {"sh", "-c", "exit 5", 0};
  posix_spawn(&child, "/bin/sh", 0, 0, words, environ);
  waitpid(child, &status, 0);
  printf("%d %d\n", WEXITSTATUS(status), system("exit 6") >> 8);
  return 0;
}
