/* Atomics, volatile accesses, inline assembly, thread-local variables. */
#include <stdatomic.h>
static _Atomic int counter;
static _Thread_local long local;
volatile int port;

int bump(int by, int *expected) {
    atomic_fetch_add(&counter, by);
    atomic_compare_exchange_strong(&counter, expected, by);
    atomic_thread_fence(memory_order_seq_cst);
    port = by;
    return atomic_load(&counter) + port + (int)local++;
}

unsigned feature(unsigned leaf) {
    unsigned a = leaf, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    __asm__ volatile("" ::: "memory");
    return a + b;
}

int jump(int x) {
    __asm__ goto("" : : "r"(x) : : elsewhere);
    return 1;
elsewhere:
    return 2;
}

int segment(void) { return *(int __attribute__((address_space(256))) *)40; }
