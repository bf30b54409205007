/* What stands at the end of a mapped file: when another condition moves the end, the byte there is
 * asked for anew. */
#include <labrys.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(void) {
  struct stat status;
  if (fstat(0, &status) || status.st_size < 8) return 1;
  size_t size = (size_t)status.st_size;
  unsigned char *text = mmap(0, size, PROT_READ, MAP_PRIVATE, 0, 0);
  if (text == MAP_FAILED) return 1;
  if (text[size - 1] == 0xee && size == 20) labrys_target("end");
  return 0;
}
