/* cover: --max-len 64
 * A target of libFuzzer, unchanged: no main function. */
#include <labrys.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int ready;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  ready = *argc >= 1 && (*argv)[0] != 0;
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!ready) return 0;
  if (size == 0) labrys_target("empty");
  if (size < 4) return 0;
  if (memcmp(data, "FUZZ", 4)) return 0;
  labrys_target("magic");
  size_t n = data[size - 1];
  if (size == 4 + n + 1 && n == 9) labrys_target("length");
  if (size > 64) labrys_target("too-long");
  return 0;
}
/* never: too-long */
