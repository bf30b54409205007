/* klee/klee.h as labrys-cc finds it: the functions by which harnesses for KLEE ask for inputs.
 * Search hints and messages to KLEE's user do nothing; values are those of the run. */
#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void klee_make_symbolic(void *object, size_t size, const char *name);
void klee_assume(uintptr_t condition);
int klee_int(const char *name);
/* A value in [begin, end). */
int klee_range(int begin, int end, const char *name);
/* A value in [0, n). */
uintptr_t klee_choose(uintptr_t n);

__attribute__((noreturn)) void klee_silent_exit(int status);
__attribute__((noreturn)) void klee_abort(void);
__attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message,
                                                 const char *suffix);

unsigned klee_is_symbolic(uintptr_t value);
unsigned klee_is_replay(void);
float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);

void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_range(const char *name, int value);
void klee_print_expr(const char *message, ...);
void klee_stack_trace(void);
void klee_set_forking(unsigned enable);
void klee_open_merge(void);
void klee_close_merge(void);
void klee_mark_global(void *object);
void klee_check_memory_access(const void *address, size_t size);

extern void __assert_fail(const char *, const char *, unsigned, const char *)
    __attribute__((noreturn));

#define klee_assert(expression) \
  ((expression) ? (void)0       \
                : __assert_fail(#expression, __FILE__, __LINE__, __extension__ __PRETTY_FUNCTION__))

#ifdef __cplusplus
}
#endif

#endif
