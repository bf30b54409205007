#include <labrys.h>
#include <aio.h>
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  static int x = 1;
  struct aiocb c;
  memset(&c, 0, sizeof c);
  c.aio_fildes = open("/dev/zero", O_RDONLY);
  c.aio_buf = &x;
  c.aio_nbytes = 4;
  aio_read(&c);
  for (int i = 0;i<100 && aio_error(&c) == 115;i++) usleep(1000);
  if (x == 0) labrys_target("x");
  return 0;
}
