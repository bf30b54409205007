// inputs: a7
// each: alone
#include <labrys.h>
#include <ctype.h>
static unsigned short own[384];
static int low[384];
static __attribute__((noinline)) int body(int argc, char **argv) {
  own[128 + 'a'] = 0; own[128 + '1'] = 1024;
  *(const unsigned short **)__ctype_b_loc() = own + 128;
  if (!isalpha('a')) labrys_target("not_alpha");
  if (isalpha('1')) labrys_target("alpha_digit");
  for (int i = 0; i < 384; i++) low[i] = 7;
  *(const int **)__ctype_tolower_loc() = low + 128;
  if (tolower('A') == 7) labrys_target("lower");
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
