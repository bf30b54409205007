#define _GNU_SOURCE
#include <labrys.h>
#include <sys/socket.h>
#include <unistd.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/epoll.h>
int main(void) {
  int s[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  if (s[0]>2) labrys_target("sp");
  int z = 0;
  write(s[0], &z, 4);
  static int x = 1;
  struct iovec v = {&x, 4};
  struct msghdr m = {0};
  m.msg_iov = &v;
  m.msg_iovlen = 1;
  recvmsg(s[1], &m, 0);
  if (x == 0) labrys_target("x");
  write(s[0], &z, 4);
  struct pollfd p = {s[1], POLLIN, 0};
  poll(&p, 1, 100);
  if (p.revents&POLLIN) labrys_target("poll");
  fd_set f;
  FD_ZERO(&f);
  FD_SET(s[0], &f);
  FD_SET(s[1], &f);
  struct timeval t = {0, 1000};
  select(s[1]+s[0]+1, &f, 0, 0, &t);
  if (!FD_ISSET(s[0], &f)) labrys_target("sel");
  int y = 1;
  recv(s[1], &y, 4, 0);
  if (y == 0) labrys_target("y");
  return 0;
}
