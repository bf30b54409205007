/* Direct, indirect, external, variadic, recursive and mismatched calls; structs by value. */
struct small { int a, b; };
struct large { long field[6]; };
typedef int (*binary)(int, int);

extern int printf(const char *, ...);
extern void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
extern _Noreturn void abort(void);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int never(int a, int b) { return a * b; }
static const binary operations[] = {add, sub};

int apply(unsigned which, int a, int b) {
    binary op = which < 2 ? operations[which] : never;
    return op(a, b) + add(a, b);
}

struct small make(int a) { struct small s = {a, a + 1}; return s; }
int sum_small(struct small s) { return s.a + s.b; }
struct large copy(struct large l) { l.field[0]++; return l; }
long sum_large(struct large l) { return copy(l).field[0] + l.field[5] + sum_small(make(3)); }

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
void sort(int *array, unsigned long count) { qsort(array, count, sizeof *array, compare); }

int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

int old_style();
int call_old(void) { return old_style(1, 2.0) + old_style(); }
int old_style(a, b) int a; double b; { return a + (int)b; }

void report(int n, double d) {
    printf("%d %f\n", n, d);
    if (n < 0)
        abort();
}

int aliased(int x) __attribute__((alias("real")));
int real(int x) { return x + 1; }
int through_alias(int x) { return aliased(x); }
