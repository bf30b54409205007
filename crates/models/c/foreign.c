/* The functions of other tools' harnesses, over those of Labrys.
 *
 * This text is used twice. The front end links it into the bitcode of programs that call these
 * functions, where those of Labrys are the runtime's. A test of such a program is a C file that
 * ends with this text, where they hand out the bytes of the test (labrys-suite). So there must
 * be no decision in it: it would count as one of the program's.
 *
 * All are weak: a definition by the program goes before.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define FOREIGN __attribute__((weak))

extern void labrys_assume(int condition);
extern void labrys_target(const char *name);
/* An input with the number of its type: 0 bytes, 1 unsigned, 2 signed. */
extern void __labrys_object(void *object, size_t size, const char *name, int type);
extern void __labrys_check(int condition, const char *text);
extern void __labrys_failure(const char *text);

/* KLEE */

FOREIGN void klee_make_symbolic(void *object, size_t size, const char *name) {
  __labrys_object(object, size, name, 0);
}
FOREIGN void klee_assume(uintptr_t condition) { labrys_assume(condition != 0); }
FOREIGN int klee_int(const char *name) {
  int value;
  __labrys_object(&value, sizeof value, name, 2);
  return value;
}
FOREIGN int klee_range(int begin, int end, const char *name) {
  int value;
  __labrys_object(&value, sizeof value, name, 2);
  labrys_assume((value >= begin) & (value < end));
  return value;
}
FOREIGN uintptr_t klee_choose(uintptr_t n) {
  uintptr_t value;
  __labrys_object(&value, sizeof value, "klee_choose", 1);
  labrys_assume(value < n);
  return value;
}
FOREIGN void klee_silent_exit(int status) { exit(status); }
FOREIGN void klee_abort(void) { abort(); }
FOREIGN void klee_report_error(const char *file, int line, const char *message,
                               const char *suffix) {
  (void)file, (void)line, (void)suffix;
  __labrys_failure(message);
}
/* Values are what they are in this run. */
FOREIGN unsigned klee_is_symbolic(uintptr_t value) { return (void)value, 0u; }
FOREIGN unsigned klee_is_replay(void) { return 0; }
FOREIGN float klee_get_valuef(float value) { return value; }
FOREIGN double klee_get_valued(double value) { return value; }
FOREIGN long klee_get_valuel(long value) { return value; }
FOREIGN long long klee_get_valuell(long long value) { return value; }
FOREIGN int32_t klee_get_value_i32(int32_t value) { return value; }
FOREIGN int64_t klee_get_value_i64(int64_t value) { return value; }
/* Advice to another search, and words for its user. */
FOREIGN void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
FOREIGN void klee_posix_prefer_cex(void *object, uintptr_t condition) {
  (void)object, (void)condition;
}
FOREIGN void klee_warning(const char *message) { (void)message; }
FOREIGN void klee_warning_once(const char *message) { (void)message; }
FOREIGN void klee_print_range(const char *name, int value) { (void)name, (void)value; }
FOREIGN void klee_print_expr(const char *message, ...) { (void)message; }
FOREIGN void klee_stack_trace(void) {}
FOREIGN void klee_set_forking(unsigned enable) { (void)enable; }
FOREIGN void klee_open_merge(void) {}
FOREIGN void klee_close_merge(void) {}
FOREIGN void klee_mark_global(void *object) { (void)object; }
FOREIGN void klee_check_memory_access(const void *address, size_t size) {
  (void)address, (void)size;
}

/* Test-Comp; __VERIFIER_nondet_TYPE is made for whatever TYPE the program declares. */

FOREIGN void __VERIFIER_assume(int condition) { labrys_assume(condition); }
FOREIGN void assume_abort_if_not(int condition) { labrys_assume(condition); }
FOREIGN void __VERIFIER_error(void) {
  labrys_target("__VERIFIER_error");
  __labrys_failure("__VERIFIER_error");
}
FOREIGN void reach_error(void) {
  labrys_target("reach_error");
  __labrys_failure("reach_error");
}
FOREIGN void __VERIFIER_assert(int condition) { __labrys_check(condition, "__VERIFIER_assert"); }
FOREIGN void __VERIFIER_nondet_memory(void *object, size_t size) {
  __labrys_object(object, size, "__VERIFIER_nondet_memory", 0);
}
FOREIGN void __VERIFIER_atomic_begin(void) {}
FOREIGN void __VERIFIER_atomic_end(void) {}

/* CREST */

FOREIGN void __CrestInit(int id) { (void)id; }
#define CREST(function, ctype, name, type)          \
  FOREIGN void function(ctype *object) {            \
    __labrys_object(object, sizeof *object, name, type); \
  }                                                 \
  FOREIGN void function##Named(ctype *object, const char *label) { \
    __labrys_object(object, sizeof *object, label, type); \
  }
CREST(__CrestUChar, unsigned char, "CREST_unsigned_char", 1)
CREST(__CrestUShort, unsigned short, "CREST_unsigned_short", 1)
CREST(__CrestUInt, unsigned, "CREST_unsigned_int", 1)
CREST(__CrestULong, unsigned long, "CREST_unsigned_long", 1)
CREST(__CrestULongLong, unsigned long long, "CREST_unsigned_long_long", 1)
CREST(__CrestChar, char, "CREST_char", 2)
CREST(__CrestShort, short, "CREST_short", 2)
CREST(__CrestInt, int, "CREST_int", 2)
CREST(__CrestLong, long, "CREST_long", 2)
CREST(__CrestLongLong, long long, "CREST_long_long", 2)
CREST(__CrestFloat, float, "CREST_float", 3)
CREST(__CrestDouble, double, "CREST_double", 3)

/* CBMC; nondet_NAME is made as for Test-Comp. */

FOREIGN void __CPROVER_assume(int condition) { labrys_assume(condition); }
FOREIGN void __CPROVER_assert(int condition, const char *text) { __labrys_check(condition, text); }
FOREIGN void __CPROVER_precondition(int condition, const char *text) {
  __labrys_check(condition, text);
}
FOREIGN void __CPROVER_atomic_begin(void) {}
FOREIGN void __CPROVER_atomic_end(void) {}
FOREIGN void __CPROVER_input(const char *name, ...) { (void)name; }
FOREIGN void __CPROVER_output(const char *name, ...) { (void)name; }
