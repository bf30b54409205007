/* Asks what it was handed on by who started it. */
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  struct sigaction action;
  char first = 0;
  int status = 0;
  if (read(0, &first, 1) != 1) return 100;
  if (!sigaction(SIGQUIT, NULL, &action) && action.sa_handler == SIG_IGN) status |= 1;
  if (!sigaction(SIGUSR1, NULL, &action) && action.sa_handler == SIG_IGN) status |= 2;
  if (umask(0) != 022) status |= 4;
  return first == 'x' ? 10 + status : status;
}
