// options: -fsanitize-coverage=trace-pc-guard
// inputs: a7
#include <labrys.h>
static int hits;
__attribute__((no_sanitize("coverage"))) void __sanitizer_cov_trace_pc_guard_init(unsigned* a,
                                                                                  unsigned* b) {
  if (a != b) labrys_target("init");
}
__attribute__((no_sanitize("coverage"))) void __sanitizer_cov_trace_pc_guard(unsigned* g) {
  hits++;
}
static __attribute__((noinline)) int body(void) {
  if (hits > 0) labrys_target("traced");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
