/* Inline functions of several kinds, unused ones, empty ones, declarations only. */
static inline int square(int x) { return x * x; }
inline int available(int x) { return x + 1; }
static void empty(void) {}
extern void unused_external(void);
__attribute__((noinline, cold)) static void rare(void) { empty(); }
__attribute__((constructor)) static void startup(void) { rare(); }
__attribute__((const)) extern int pure(int);
int total(int x) { return square(x) + available(x) + pure(x); }
