// proved: control
// inputs: a7
#include <labrys.h>
#include <stdio.h>
#include <fcntl.h>
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  if (getchar() == EOF && feof(stdin)) labrys_target("empty");
  FILE *f = fopen("/proc/self/status", "r");
  FILE *old = stdin;
  stdin = f;
  if (getchar() == 'N') labrys_target("other_file");
  stdin = old;
  int fd = open("/proc/self/status", O_RDONLY);
  dup2(fd, 0);
  clearerr(stdin);
  if (getchar() == 'N') labrys_target("under_it");
  lseek(0, 1, SEEK_SET);
  char c;
  if (read(0, &c, 1) == 1 && c == 'a') labrys_target("descriptor");
  close(0);
  int again = open("/proc/self/status", O_RDONLY);
  if (again == 0) labrys_target("zero");
  if (freopen("/proc/self/status", "r", stdin) && getchar() == 'N') labrys_target("reopened");
  if (read(99, &c, 1) == -1) labrys_target("bad");
  char two[2];
  int ends[2];
  pipe(ends);
  write(ends[1], "xy", 2);
  if (read(ends[0], two, 2) == 2 && two[1] == 'y') labrys_target("pipe");
  write(ends[1], "xy", 2);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  read(ends[0], two, 2);
  if (read(ends[0], two, 2) == -1) labrys_target("nothing_yet");
  write(ends[1], "z", 1);
  if (read(ends[0], two, 2) == 1 && two[0] == 'z') labrys_target("later");
  FILE *a = fopen("/proc/self/status", "r"), *b = fopen("/proc/self/status", "r");
  if (a != b && fgetc(a) == 'N' && fgetc(b) == 'N') labrys_target("twice");
  fclose(a);
  FILE *d = fopen("/proc/self/status", "r");
  if (d == a) labrys_target("same_stream");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
