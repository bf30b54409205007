/* What Rust cannot define: thread-local variables with a C name, weak defaults of the symbols
 * that an instrumented program defines (so that the library also links alone), and a call of
 * what a C library may lack. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread struct thread {
  uint64_t tag;
  uint64_t copy_tag;
  const void *copies[8];
  uint32_t args[64];
  uint32_t results[32];
  uint32_t variadic_count;
  uint64_t variadic_tag;
  uint64_t variadic_serial;
  struct {
    uint32_t place, label;
  } variadic[32];
} __labrys_thread;

struct thread *__labrys_thread_state(void) { return &__labrys_thread; }

static unsigned char no_coverage[4096] __attribute__((aligned(4096)));

__attribute__((weak)) struct {
  unsigned char *map;
  uint64_t size;
  uint32_t *near;
} __labrys_coverage = {no_coverage, sizeof no_coverage, 0};

__attribute__((weak)) uint32_t __labrys_instrumented = 0;

struct global {
  void *address;
  uint64_t size;
  uint32_t constant, number;
};

/* The linker makes one table of those of the program and of the models; there may be none. */
__attribute__((weak, visibility("hidden"))) extern struct global __start_labrys_globals[],
    __stop_labrys_globals[];

struct global *__labrys_first_global(void) { return __start_labrys_globals; }
uint64_t __labrys_count_globals(void) { return __stop_labrys_globals - __start_labrys_globals; }

__attribute__((weak)) uint64_t __labrys_marked_count = 0;
__attribute__((weak)) struct {
  const char *name, *signature;
  uint64_t (*call)(const uint64_t *arguments);
} __labrys_marked[1];

struct {
  uint64_t address, size;
} __labrys_stack[4096];
uint32_t __labrys_stack_top;
uint32_t __labrys_all_branches, __labrys_all_calls;

/* In builds under MemorySanitizer, which does not see what the runtime writes. */
extern void __msan_unpoison(const volatile void *at, size_t size) __attribute__((weak));
void __labrys_defined(const void *at, size_t size) {
  if (__msan_unpoison) __msan_unpoison(at, size);
}

/* glibc has it since 2.34. */
extern pid_t _Fork(void) __attribute__((weak));

/* A fork of a process with one thread. What the program's libraries do at forks is for programs
 * that fork: AddressSanitizer goes through a table of 4 MiB in each child. */
pid_t __labrys_fork(void) { return _Fork ? _Fork() : fork(); }

/* The same where the process stands anywhere in the program: the child goes on as the thread that its
 * parent was, by whose number the C library knows the owner of a lock. */
pid_t __labrys_fork_as_it_is(void) {
  enum { NUMBERS = 256 };
  const int *at = (const int *)pthread_self();
  int before[NUMBERS], own = (int)syscall(SYS_gettid);
  for (int i = 0; i < NUMBERS; i++) before[i] = at[i];
  pid_t child = __labrys_fork();
  if (child != 0) return child;
  int now = (int)syscall(SYS_gettid);
  for (int i = 0; i < NUMBERS; i++)
    if (before[i] == own && at[i] == now) ((int *)at)[i] = own;
  return child;
}

/* In older libraries it is one of its own. */
#pragma weak dlsym
void *__labrys_find(const char *name) { return dlsym ? dlsym(RTLD_DEFAULT, name) : 0; }
