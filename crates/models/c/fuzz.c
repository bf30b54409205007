/* The main function of a program that brings LLVMFuzzerTestOneInput and no main. */

#include <stddef.h>
#include <stdint.h>

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern __attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
extern int __labrys_fuzz(int argc, char **argv, int (*target)(const uint8_t *, size_t),
                         int (*initialize)(int *, char ***));

int main(int argc, char **argv) {
  return __labrys_fuzz(argc, argv, LLVMFuzzerTestOneInput, LLVMFuzzerInitialize);
}
