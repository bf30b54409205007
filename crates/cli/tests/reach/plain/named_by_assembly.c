// each: alone
// inputs: 00 01
#include <labrys.h>
int counter;
int *place = &counter;
int table[4];
static int given(void) { return 7; }
int (*chosen)(void) = given;
static int behind;
void step(void) { behind = 1; }
int main(void) {
  unsigned char c;
  labrys_symbolic(&c, 1, "c");
  if (c == 1) {
    __asm__ volatile("incl counter(%%rip)" : : : "memory", "cc");
    __asm__ volatile("movl $5, table+8(%%rip)" : : : "memory");
    __asm__ volatile("movq $0, chosen(%%rip)" : : : "memory");
  }
  if (counter == 1) labrys_target("counted");
  if (table[2] == 5) labrys_target("in the table");
  if (!chosen) labrys_target("no function");
  if (*place == 1) labrys_target("by a pointer");
  if (counter == 2) labrys_target("never twice");
  return 0;
}
