
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern FOREIGN int LLVMFuzzerInitialize(int *argc, char ***argv);

FOREIGN int main(int argc, char **argv) {
  uint8_t *data = malloc(LABRYS_SIZE);
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
  memcpy(data, labrys_bytes, LABRYS_SIZE);
  LLVMFuzzerTestOneInput(data, LABRYS_SIZE);
  free(data);
  return 0;
}
