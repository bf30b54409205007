/* Tries to do harm outside. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>
#include <labrys.h>

/* Opens the memory of every other process. */
static int opens_memory(void) {
  DIR *all = opendir("/proc");
  struct dirent *entry;
  int found = 0;
  while (all && (entry = readdir(all))) {
    char path[64];
    int number = atoi(entry->d_name), file;
    if (number <= 0 || number == getpid() || number == getppid()) continue;
    snprintf(path, sizeof path, "/proc/%d/mem", number);
    if ((file = open(path, O_RDWR)) >= 0) found++;
  }
  return found;
}

static int writes(const char *folder) {
  char path[256];
  FILE *file;
  snprintf(path, sizeof path, "%s/labrys-was-here", folder);
  if (!(file = fopen(path, "w"))) return 0;
  fputs("x", file);
  fclose(file);
  file = fopen(path, "r");
  return file && fgetc(file) == 'x';
}

int main(int argc, char **argv) {
  int c = getchar();
  if (argc != 3) return 2;
  if (c == 'k') { signal(SIGTERM, SIG_IGN); kill(-1, SIGTERM); kill(-1, SIGKILL); labrys_target("killed"); }
  if (c == 'm' && opens_memory()) labrys_target("memory");
  if (c == 's' && shmget(atoi(argv[2]), 4096, IPC_CREAT | 0600) >= 0) labrys_target("segment");
  if (c == 't' && writes("/tmp")) labrys_target("temporary");
  if (c == 'd' && writes("/dev/shm")) labrys_target("shared");
  if (c == 'w' && writes(".")) labrys_target("working folder");
  if (c == 'h' && writes(argv[1])) labrys_target("home");
  return 0;
}
