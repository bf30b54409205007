/* Levels of interrupts: raised and lowered in pairs, in a routine that may fail at each step. */
extern int __VERIFIER_nondet_int(void);

enum { PASSIVE, APC, DISPATCH };

static int level = PASSIVE;
static int broken;

static int raise_level(int to) {
    int old = level;
    if (to < old) { // never true
        broken = 1;
    }
    level = to;
    return old;
}

static void lower_level(int to) {
    if (to > level) { // never true
        broken = 1;
    }
    level = to;
}

static int transfer(int length) {
    int old = raise_level(DISPATCH);
    if (length < 0) {
        lower_level(old);
        return -1;
    }
    if (length > 4096) {
        lower_level(old);
        return -2;
    }
    lower_level(old);
    return 0;
}

static int request(int kind, int length) {
    int old = raise_level(APC);
    int status;
    if (kind == 1) {
        status = transfer(length);
    } else {
        status = -3;
    }
    if (level != APC) { // never true
        broken = 2;
    }
    lower_level(old);
    return status;
}

int main(void) {
    int failures = 0;
    for (;;) {
        int kind = __VERIFIER_nondet_int();
        if (kind < 0) {
            break;
        }
        if (request(kind, __VERIFIER_nondet_int()) != 0) {
            failures++;
        }
        if (level != PASSIVE) { // never true
            return 1;
        }
        if (broken) { // never true
            return 2;
        }
        if (failures > 3) {
            return 3;
        }
    }
    return 0;
}
