/* What a plain build by clang takes in place of labrys.h: markers are told on standard error, input
 * comes from the variable IN as digits. */
#ifndef PLAIN_H
#define PLAIN_H
#include <stddef.h>
extern char **environ;
static __attribute__((noinline, unused, no_instrument_function)) void tell(const char *text, size_t length) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(1L), "D"(2L), "S"(text), "d"(length)
                   : "rcx", "r11", "memory");
}
static __attribute__((noinline, unused, no_instrument_function)) void labrys_target(const char *name) {
  size_t length = 0;
  while (name[length]) length++;
  tell("target ", 7), tell(name, length), tell("\n", 1);
}
static __attribute__((noinline, unused, no_instrument_function)) void labrys_symbolic(void *object, size_t size,
                                                              const char *name) {
  static size_t at;
  const char *digits = "";
  for (char **entry = environ; entry && *entry; entry++)
    if ((*entry)[0] == 'I' && (*entry)[1] == 'N' && (*entry)[2] == '=') digits = *entry + 3;
  size_t length = 0;
  while (digits[length]) length++;
  for (size_t index = 0; index < size; index++, at++) {
    unsigned value = 0;
    for (size_t half = 2 * at; half < 2 * at + 2 && half < length; half++) {
      char digit = digits[half];
      value = 16 * value + (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    ((volatile unsigned char *)object)[index] = (unsigned char)value;
  }
}
#endif
