// inputs: a7
// each: alone
#include <labrys.h>
#include <ctype.h>
#include <stdio.h>
#include <math.h>
static __attribute__((noinline)) int body(int argc, char **argv) {
  char *volatile s = "12";
  if (atoi(s) == 77) labrys_target("atoi");
  if (toupper(argc + 'a' - 1) == 'b') labrys_target("upper");
  if (abs(-argc) == 5) labrys_target("abs");
  if (strlen(s) == 99) labrys_target("len");
  if (floor(argc + 0.5) == 9) labrys_target("floor");
  if (strcmp(s, "12") == 3) labrys_target("cmp");
  if ((isalpha)('1')) labrys_target("alpha");
  if (strtol(s, 0, 10) == 42) labrys_target("strtol");
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
//// native n.c
int atoi(const char *s) { return 77; }
int toupper(int c) { return c + 1; }
int abs(int x) { return 5; }
unsigned long strlen(const char *s) { return 99; }
double floor(double x) { return 9; }
int strcmp(const char *a, const char *b) { return 3; }
int isalpha(int c) { return 1; }
long strtol(const char *s, char **e, int b) { return 42; }
