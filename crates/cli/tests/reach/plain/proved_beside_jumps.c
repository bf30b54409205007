// each: alone
// proved: no_kind no_bits no_mode
// inputs: 00 01 02 03 28
// Control comes back into `parse` and `main` only, and a copy of the process goes its own way.
#include <labrys.h>
#include <setjmp.h>
#include <sys/wait.h>
static jmp_buf top, inner;
static int depth, mode, state, rounds;
static __attribute__((noinline)) void fail(int how) {
  mode = how;
  longjmp(top, how);
}
static __attribute__((noinline)) int kind(int c) {
  if (c >= '0' && c <= '9') return 1;
  if (c == '(') return 2;
  return c == 0 ? 3 : 0;
}
static __attribute__((noinline)) int look(int c) {
  int n = kind(c);
  if (n == 4) labrys_target("no_kind");
  if (n == 2) labrys_target("opens");
  if ((n & 1) == 2) labrys_target("no_bits");
  if (n == 3) fail(2);
  return n;
}
static __attribute__((noinline)) int parse(int c) {
  int kept = 1;
  if (setjmp(inner)) labrys_target("again");
  rounds++;
  if (kept == 7) labrys_target("kept");
  if (rounds < 3) { kept = 7; longjmp(inner, 1); }
  if (rounds == 3) labrys_target("third");
  return look(c);
}
static __attribute__((noinline)) void copy(int c) {
  state = 1;
  if (fork() == 0) {
    state = 2;
    if (c & 1) _exit(0);
  } else {
    wait(0);
  }
  if (state == 2) labrys_target("child");
}
static __attribute__((noinline)) void after(void) {
  if (mode == 2) labrys_target("mode");
  if (mode == 3) labrys_target("no_mode");
  if (rounds == 3) labrys_target("rounds");
}
int main(void) {
  const char *in = getenv("IN");
  int c = in && *in ? (int)strtol(in, 0, 16) : '7';
  if (setjmp(top) == 0) {
    copy(c);
    depth = parse(c);
  }
  after();
  return 0;
}
