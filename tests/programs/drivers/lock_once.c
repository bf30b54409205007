/* A lock that is taken and released around each request: it is never taken twice. */
extern int __VERIFIER_nondet_int(void);

static int locked;
static int pending;
static int handled;
static int failed;

static void acquire(void) {
    if (locked) { // never true
        failed = 1;
    }
    locked = 1;
}

static void release(void) {
    if (!locked) { // never true
        failed = 2;
    }
    locked = 0;
}

static void handle(int request) {
    acquire();
    if (request > 100) {
        pending++;
    } else if (request < -100) {
        pending = 0;
    } else {
        handled++;
    }
    release();
}

int main(void) {
    for (;;) {
        int request = __VERIFIER_nondet_int();
        if (request == 0) {
            break;
        }
        handle(request);
        if (failed) { // never true
            return 1;
        }
    }
    return pending > 0 ? 2 : 0;
}
