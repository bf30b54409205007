/* A server and a client on loopback in one process, and a pair of sockets. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof place;
  int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(server, (void*)&place, size) || listen(server, 1)) return 2;
  getsockname(server, (void*)&place, &size);
  if (connect(client, (void*)&place, size)) return 3;
  int accepted = accept(server, 0, 0);
  char text[32] = {0};
  dprintf(client, "hello %d", 7);
  struct pollfd ready = {accepted, POLLIN, 0};
  printf("%d\n", poll(&ready, 1, 2000));
  ssize_t got = recv(accepted, text, sizeof text - 1, 0);
  printf("%zd %s\n", got, text);
  int pair[2];
  socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
  struct iovec parts[2] = {{text, 5}, {"!", 1}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  sendmsg(pair[0], &message, 0);
  char answer[32] = {0};
  printf("%zd %s\n", recv(pair[1], answer, sizeof answer, 0), answer);
  return strcmp(answer, "hello!") != 0;
}
