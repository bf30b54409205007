/* What tests of functions need: plain C by default, in a process of its own for each test; Unity with
   -DUNIT_UNITY; Check with -DUNIT_CHECK. */
#ifndef UNIT_H
#define UNIT_H

/* Macros of the source: what tests say is C. */
#undef auto
#undef char
#undef const
#undef double
#undef else
#undef enum
#undef extern
#undef float
#undef if
#undef inline
#undef int
#undef long
#undef return
#undef short
#undef signed
#undef sizeof
#undef static
#undef struct
#undef union
#undef unsigned
#undef void
#undef volatile
#undef calloc
#undef fflush
#undef fmemopen
#undef fopen
#undef fprintf
#undef fputc
#undef free
#undef memcmp
#undef memcpy
#undef memset
#undef printf
#undef strcmp
#undef tmpfile
#undef TEST
#undef END_TEST
#undef CHECK
#undef RUN
#undef TESTS

/* No headers of the library: a source may have types and functions of its own under their names. */
#define calloc(...) __builtin_calloc(__VA_ARGS__)
#define free(...) __builtin_free(__VA_ARGS__)
#define memcmp(...) __builtin_memcmp(__VA_ARGS__)
#define memcpy(...) __builtin_memcpy(__VA_ARGS__)
#define memset(...) __builtin_memset(__VA_ARGS__)
#define strcmp(...) __builtin_strcmp(__VA_ARGS__)

/* Functions under test may be deprecated. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/* A test may pass null, or an array shorter than the declaration says: it was observed that the call
   does not read further. */
#pragma GCC diagnostic ignored "-Wnonnull"
/* It may ignore a result, and pass null for a format. */
#pragma GCC diagnostic ignored "-Wunused-result"
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wsentinel"
#elif __GNUC__ >= 11
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

#if defined(UNIT_UNITY)

#include "unity.h"
#define TEST(name) static void name(void)
#define END_TEST
#define CHECK(condition) TEST_ASSERT_TRUE(condition)
#define RUN(name) RUN_TEST(name);
#define TESTS(runs) \
  void setUp(void) {} \
  void tearDown(void) {} \
  int main(void) { \
    UNITY_BEGIN(); \
    runs \
    return UNITY_END(); \
  }

#elif defined(UNIT_CHECK)

#include <check.h>
#define TEST(name) START_TEST(name)
#define CHECK(condition) ck_assert(condition)
#define RUN(name) tcase_add_test(unit_case, name);
#define TESTS(runs) \
  int main(void) { \
    Suite *unit_suite = suite_create("unit"); \
    TCase *unit_case = tcase_create("unit"); \
    SRunner *unit_runner = srunner_create(unit_suite); \
    int unit_failed; \
    runs \
    suite_add_tcase(unit_suite, unit_case); \
    srunner_run_all(unit_runner, CK_NORMAL); \
    unit_failed = srunner_ntests_failed(unit_runner); \
    srunner_free(unit_runner); \
    return unit_failed != 0; \
  }

#else

/* Functions of the library under names that no source has. */
extern int unit_fork(void) __asm__("fork");
extern int unit_wait(int pid, int *status, int options, void *usage) __asm__("wait4");
extern int unit_flush(void *stream) __asm__("fflush");
extern int unit_print(int fd, const char *format, ...) __asm__("dprintf");
extern void unit_exit(int status) __asm__("_Exit");

static int unit_failed;

static __inline__ void unit_check(int holds, const char *text, const char *file, int line) {
  if (holds) return;
  unit_print(2, "%s:%d: not true: %s\n", file, line, text);
  unit_failed = 1;
}

static __inline__ int unit_run(void (*test)(void), const char *name) {
  int status = -1;
  int child;
  unit_flush(0);
  child = unit_fork();
  if (child == 0) {
    test();
    unit_flush(0);
    unit_exit(unit_failed);
  }
  if (child < 0 || unit_wait(child, &status, 0, 0) < 0 || status != 0) {
    unit_print(2, "FAILED %s\n", name);
    return 1;
  }
  return 0;
}

#define TEST(name) static void name(void)
#define END_TEST
#define CHECK(condition) unit_check((condition) != 0, #condition, __FILE__, __LINE__)
#define RUN(name) unit_count++; unit_bad += unit_run(name, #name);
#define TESTS(runs) \
  int main(void) { \
    int unit_count = 0, unit_bad = 0; \
    runs \
    unit_print(1, "%d tests, %d failed\n", unit_count, unit_bad); \
    return unit_bad != 0; \
  }

#endif
#endif
