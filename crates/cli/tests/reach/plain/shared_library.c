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
  if (sin(argc) == 9) labrys_target("sin");
  if (getenv("zzz") != 0) labrys_target("getenv");
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
//// shared n.c
int atoi(const char *s) { return 77; }
int toupper(int c) { return c + 1; }
int abs(int x) { return 5; }
unsigned long strlen(const char *s) { return 99; }
double floor(double x) { return 9; }
double sin(double x) { return 9; }
int strcmp(const char *a, const char *b) { return 3; }
char *getenv(const char *n) { return "q"; }
