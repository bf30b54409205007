// inputs: a7
#include <labrys.h>
int first_name = 1;
extern int second_name __asm__("first_name");
int third __asm__("fourth") = 1;
extern int fourth;
static __attribute__((noinline)) int body(void) {
  second_name = 4;
  if (first_name == 4) labrys_target("same symbol");
  fourth = 7;
  if (third == 7) labrys_target("renamed");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
