// proved: control
// inputs: a7
#include <labrys.h>
#include <sys/stat.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <wchar.h>
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  errno = 0;
  close(-1);
  if (errno == EBADF) labrys_target("close");
  errno = 0;
  lseek(-1, 0, 0);
  if (errno == EBADF) labrys_target("lseek");
  errno = 0;
  isatty(-1);
  if (errno == EBADF) labrys_target("isatty");
  errno = 0;
  if (!fopen("/no/such", "r") && errno == ENOENT) labrys_target("fopen");
  errno = 0;
  volatile double minus = -1, zero = 0;
  double l = log(minus);
  if (errno == EDOM) labrys_target("log");
  errno = 0;
  atoi("99999999999999999999");
  if (errno == ERANGE) labrys_target("atoi");
  errno = 0;
  malloc(1ul << 62);
  if (errno == ENOMEM) labrys_target("malloc");
  errno = 77;
  getpid();
  if (errno == 77) labrys_target("kept");
  lgamma(-0.5);
  if (signgam == -1) labrys_target("sign");
  setenv("TZ", "XYZ-3", 1);
  tzset();
  if (timezone == -10800) labrys_target("timezone");
  if (tzname[0][0] == 'X') labrys_target("name");
  time_t zero_time = 0;
  struct tm *a = localtime(&zero_time);
  int hour = a->tm_hour;
  setenv("TZ", "XYZ-5", 1);
  struct tm *b = localtime(&zero_time);
  if (a == b && hour == 3 && a->tm_hour == 5) labrys_target("static");
  char *words[] = {"x", "-ab", "rest", 0};
  while (getopt(3, words, "a") != -1) {}
  if (optind == 2 && optopt == 'b') labrys_target("optopt");
  if (setlocale(LC_ALL, "C.UTF-8")) {
    wchar_t w = 0;
    if (mbtowc(&w, "\xc3\xa9", 2) == 2 && w == 0xe9) labrys_target("utf");
    if (MB_CUR_MAX == 6) labrys_target("most");
  }
  if (rand() != rand()) labrys_target("rand");
  srand(1);
  int first = rand();
  srand(1);
  if (rand() == first) labrys_target("seeded");
  if (strerror(2)[0] == 'N') labrys_target("message");
  umask(022);
  if (umask(0) == 022) labrys_target("umask");
  if (getppid() != getpid()) labrys_target("parent");
  if (never) labrys_target("control");
  return l == 3;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
