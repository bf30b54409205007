/* Seeds from the clock and from the system: runs repeat all the same, and sleeping costs nothing. */
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  unsigned seed = 0, salt[2];
  if (getrandom(salt, sizeof salt, 0) != sizeof salt) return 1;
  struct timeval now;
  struct timespec precise;
  gettimeofday(&now, NULL);
  clock_gettime(CLOCK_MONOTONIC, &precise);
  srand((unsigned)time(NULL) ^ (unsigned)clock());
  seed = (unsigned)rand() ^ salt[0] ^ (unsigned)now.tv_usec ^ (unsigned)precise.tv_nsec;
  sleep(3600);
  if (time(NULL) < now.tv_sec + 3600) return 2;
  unsigned word;
  if (fread(&word, sizeof word, 1, stdin) != 1) return 3;
  if ((word ^ seed) == 0x12345678) labrys_target("seeded");
  if (word % 1009 == salt[1] % 1009) labrys_target("salted");
  return 0;
}
