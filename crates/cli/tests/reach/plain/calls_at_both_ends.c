// options: -finstrument-functions
// inputs: a7
#include <labrys.h>
static int depth, quiet;
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void* f, void* c) {
  if (!quiet) {
    quiet = 1;
    if (++depth == 3) labrys_target("enter");
    quiet = 0;
  }
}
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void* f, void* c) {
  if (!quiet) {
    quiet = 1;
    labrys_target("leave");
    quiet = 0;
  }
}
static __attribute__((noinline)) int f(int x) {
  return x + depth;
}
static __attribute__((noinline)) int body(void) {
  if (f(0) == 3) labrys_target("two");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
