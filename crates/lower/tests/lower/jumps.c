/* Non-local jumps, stack allocation, compiler queries. */
#include <alloca.h>
#include <setjmp.h>
static jmp_buf state;
int attempt(int x) {
    if (setjmp(state))
        return -1;
    if (x > 10)
        longjmp(state, 1);
    return x;
}
char *scratch(unsigned long n, const char *s) {
    char *p = alloca(n);
    if (__builtin_constant_p(n))
        return 0;
    __builtin_prefetch(s);
    p[0] = s[0];
    return __builtin_object_size(p, 0) > n ? p : __builtin_frame_address(0);
}
void scoped(int n) {
    for (int i = 1; i < n; i++) {
        char block[i];
        scratch((unsigned long)i, block);
    }
}
