#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static size_t labrys_next;

static void labrys_take(void *object, size_t size) {
  unsigned char *to = object;
  while (size--) *to++ = labrys_next < LABRYS_SIZE ? labrys_bytes[labrys_next++] : 0;
}

/* Weak, so that a definition by the program goes before. */
#define LABRYS_WEAK __attribute__((weak))

LABRYS_WEAK void labrys_symbolic(void *object, size_t size, const char *name) {
  (void)name;
  labrys_take(object, size);
}
LABRYS_WEAK void labrys_assume(int condition) {
  if (!condition) exit(0);
}
LABRYS_WEAK void labrys_target(const char *name) { fprintf(stderr, "target reached: %s\n", name); }

LABRYS_WEAK void klee_make_symbolic(void *object, size_t size, const char *name) {
  (void)name;
  labrys_take(object, size);
}
LABRYS_WEAK void klee_assume(uintptr_t condition) {
  if (!condition) exit(0);
}
LABRYS_WEAK int klee_int(const char *name) {
  int value;
  (void)name;
  labrys_take(&value, sizeof value);
  return value;
}
LABRYS_WEAK int klee_range(int begin, int end, const char *name) {
  int value = klee_int(name);
  if (value < begin || value >= end) exit(0);
  return value;
}
LABRYS_WEAK unsigned klee_is_symbolic(uintptr_t value) {
  (void)value;
  return 0;
}
LABRYS_WEAK void klee_prefer_cex(void *object, uintptr_t condition) {
  (void)object;
  (void)condition;
}
LABRYS_WEAK void klee_silent_exit(int status) { exit(status); }
LABRYS_WEAK void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
  fprintf(stderr, "%s:%d: %s (%s)\n", file, line, message, suffix);
  abort();
}

#define LABRYS_VALUE(function, type)  \
  LABRYS_WEAK type function(void) {   \
    type value;                       \
    labrys_take(&value, sizeof value); \
    return value;                     \
  }
LABRYS_VALUE(__VERIFIER_nondet_char, char)
LABRYS_VALUE(__VERIFIER_nondet_schar, signed char)
LABRYS_VALUE(__VERIFIER_nondet_uchar, unsigned char)
LABRYS_VALUE(__VERIFIER_nondet_short, short)
LABRYS_VALUE(__VERIFIER_nondet_ushort, unsigned short)
LABRYS_VALUE(__VERIFIER_nondet_int, int)
LABRYS_VALUE(__VERIFIER_nondet_uint, unsigned)
LABRYS_VALUE(__VERIFIER_nondet_unsigned, unsigned)
LABRYS_VALUE(__VERIFIER_nondet_long, long)
LABRYS_VALUE(__VERIFIER_nondet_ulong, unsigned long)
LABRYS_VALUE(__VERIFIER_nondet_longlong, long long)
LABRYS_VALUE(__VERIFIER_nondet_ulonglong, unsigned long long)
LABRYS_VALUE(__VERIFIER_nondet_size_t, size_t)
LABRYS_VALUE(__VERIFIER_nondet_loff_t, long long)
LABRYS_VALUE(__VERIFIER_nondet_sector_t, unsigned long)
LABRYS_VALUE(__VERIFIER_nondet_u8, uint8_t)
LABRYS_VALUE(__VERIFIER_nondet_u16, uint16_t)
LABRYS_VALUE(__VERIFIER_nondet_u32, uint32_t)
LABRYS_VALUE(__VERIFIER_nondet_u64, uint64_t)
LABRYS_VALUE(__VERIFIER_nondet_float, float)
LABRYS_VALUE(__VERIFIER_nondet_double, double)
LABRYS_VALUE(__VERIFIER_nondet_pointer, void *)
LABRYS_VALUE(__VERIFIER_nondet_pchar, char *)
#ifdef __SIZEOF_INT128__
LABRYS_VALUE(__VERIFIER_nondet_int128, __int128)
LABRYS_VALUE(__VERIFIER_nondet_uint128, unsigned __int128)
#endif
LABRYS_WEAK _Bool __VERIFIER_nondet_bool(void) {
  unsigned char value;
  labrys_take(&value, sizeof value);
  return value & 1;
}
LABRYS_WEAK void __VERIFIER_nondet_memory(void *object, size_t size) { labrys_take(object, size); }
LABRYS_WEAK void __VERIFIER_assume(int condition) {
  if (!condition) exit(0);
}
LABRYS_WEAK void __VERIFIER_error(void) { abort(); }
LABRYS_WEAK void reach_error(void) { abort(); }

LABRYS_WEAK void __CrestInit(int id) { (void)id; }
#define LABRYS_CREST(function, type) \
  LABRYS_WEAK void function(type *object) { labrys_take(object, sizeof *object); }
LABRYS_CREST(__CrestUChar, unsigned char)
LABRYS_CREST(__CrestUShort, unsigned short)
LABRYS_CREST(__CrestUInt, unsigned)
LABRYS_CREST(__CrestChar, char)
LABRYS_CREST(__CrestShort, short)
LABRYS_CREST(__CrestInt, int)
