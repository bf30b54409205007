// inputs: a7
// each: alone
#include <labrys.h>
extern const int limit; extern int writable; extern const int also_limit;
extern int table[]; extern int in_table;
static __attribute__((noinline)) int body(int argc, char **argv) {
  int a = limit; writable = 8; int b = limit;
  if (a != b) labrys_target("differ");
  if (b == 8) labrys_target("eight");
  if (also_limit == 8) labrys_target("also");
  table[1] = 5; if (in_table == 5) labrys_target("in");
  if (&in_table == table + 1) labrys_target("inside");
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
//// native n.c
int writable = 4; extern const int limit __attribute__((alias("writable"))); extern const int also_limit __attribute__((alias("writable")));
int table[3]; 
__asm__(".globl in_table\n.set in_table, table+4");
