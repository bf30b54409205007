/* A copy that is empty at first and may be longer than where it goes. */
#include <labrys.h>
#include <string.h>

__attribute__((noinline)) static int use(const char *message, size_t length) {
  char part[20];
  memset(part, 0, sizeof part);
  memcpy(part, message, length);
  return part[3];
}

int main(void) {
  char message[64];
  unsigned short length;
  labrys_symbolic(message, sizeof message, "message");
  labrys_symbolic(&length, sizeof length, "length");
  return length <= 24 && use(message, length) == 'x';
}
/* failures: stack-buffer-overflow */
