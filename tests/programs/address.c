/* An address of the Internet in text. */
#include <arpa/inet.h>
#include <labrys.h>

int main(void) {
  char text[17];
  struct in_addr address;
  labrys_symbolic(text, 16, "text");
  text[16] = 0;
  if (inet_pton(AF_INET, text, &address) != 1) {
    labrys_target("none");
    return 1;
  }
  unsigned long host = ntohl(address.s_addr);
  if (host >> 24 == 10) labrys_target("ten");
  if (host == 0x7f000001) labrys_target("local");
  if ((host & 0xffffff00) == 0xc0a80100 && (host & 255) > 200) labrys_target("net");
  return 0;
}
