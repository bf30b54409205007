/* Branches, loops, switches, short circuits, unreachable code, endless loops. */
int classify(int c, long w) {
    switch (c) {
    case 'a': case 'e': case 'i':
        return 1;
    case -1:
        return 2;
    case 1000 ... 1003:
        c = 7;
        break;
    default:
        if (c > 5 && (c < 9 || c == 12))
            return 3;
    }
    switch (w) {
    case 0x7fffffffffffffffL: return 4;
    case 0: __builtin_unreachable();
    }
    switch (c) { default: break; }
    return c ? (w > 0 ? 5 : 6) : 7;
}

int collatz(unsigned n) {
    int steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        if (++steps > 1000)
            goto out;
    }
    do steps--; while (steps > 10);
out:
    return steps;
}

void forever(volatile int *p) { for (;;) if (*p == 3) *p = 4; else ++*p; }

_Bool likely(int x) {
    if (__builtin_expect(x > 3, 1))
        return 1;
    __builtin_assume(x < 0);
    return x == -1;
}
