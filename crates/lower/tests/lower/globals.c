/* Initializers: bytes, strings, pointers into globals, functions, padding, zeros, bit patterns. */
#include <stddef.h>

struct node { char kind; struct node *next; int (*action)(int); double weight; };

static int twice(int x) { return 2 * x; }
extern int other(int);
extern int external_value;
extern char unsized_array[];

int table[5] = {1, -2, 3};
const short shorts[] = {1, 2, 0x7fff, -1};
static struct node last = {'l', NULL, twice, 1.5};
struct node first = {'f', &last, other, -0.0};
const char *names[] = {"alpha", "beta", NULL, "alpha" + 2};
int *inside = &table[3];
int *before = &table[-1];
void *number = (void *)0x1234;
long address = (long)&table;
float half = 0.5f;
char zeros[100000];
__thread int per_thread = 7;
_Thread_local int per_thread_zero;
unsigned __int128 huge = (unsigned __int128)0x0123456789abcdef << 64 | 42;
struct { unsigned a : 3, b : 9; } bits = {5, 300};
static void *labels_of(int i) {
    static void *const targets[] = {&&one, &&two};
    goto *targets[i];
one:
    return &first;
two:
    return names;
}
__attribute__((weak)) int maybe;
extern __attribute__((weak)) int perhaps(void);

int use(int i) {
    if (perhaps)
        i += perhaps();
    return (int)(long)labels_of(i) + external_value + unsized_array[i] + per_thread++ + per_thread_zero;
}
