#include <labrys.h>
#include <unistd.h>
#include <string.h>
int main(void) {
  char b[16];
  long n = read(0, b, sizeof b);
  if (n > 16) labrys_target("more");
  if (n == 6 && !memcmp(b, "secret", 6)) labrys_target("secret");
  if (n < 0) labrys_target("failed");
  n = read(0, b, 1);
  if (n == 1 && b[0] == 'Z') labrys_target("seventeenth");
  if (n > 1) labrys_target("two");
  return 0;
}
