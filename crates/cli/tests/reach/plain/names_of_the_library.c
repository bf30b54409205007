// inputs: a7
// each: alone
// proved: control
#include <labrys.h>
#include <time.h>
#include <stdio.h>
#include <errno.h>
extern char **__environ, **_environ;
extern long __timezone; extern int __daylight; extern char *__tzname[2]; extern char *__progname, *__progname_full;
extern struct _IO_FILE_plus _IO_2_1_stdin_;
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  static char *own[] = {"A=1", 0};
  environ = own;
  if (__environ == own) labrys_target("env1");
  if (_environ == own) labrys_target("env2");
  __environ = 0;
  if (environ == 0) labrys_target("env3");
  timezone = 77;
  if (__timezone == 77) labrys_target("tz");
  __daylight = 5;
  if (daylight == 5) labrys_target("day");
  tzname[0] = "Q";
  if (*__tzname[0] == 'Q') labrys_target("tzn");
  program_invocation_name = "nn";
  if (__progname_full[0] == 'n' && __progname_full[1] == 'n') labrys_target("prog");
  __progname = "kk";
  if (program_invocation_short_name[0] == 'k') labrys_target("prog2");
  if ((void *)stdin == (void *)&_IO_2_1_stdin_) labrys_target("std");
  if (never) labrys_target("control");
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
