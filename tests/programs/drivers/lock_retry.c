/* The lock is dropped while a packet is resent, and the loop ends only without a packet. */
extern int __VERIFIER_nondet_int(void);

static int locked;

static int lock(void) {
    if (locked) { // never true
        return -1;
    }
    locked = 1;
    return 0;
}

static int unlock(void) {
    if (!locked) { // never true
        return -1;
    }
    locked = 0;
    return 0;
}

int main(void) {
    int sent = 0;
    int last;
    int failed = 0;
    do {
        if (lock() != 0) { // never true
            failed = 1;
        }
        last = sent;
        if (__VERIFIER_nondet_int()) {
            if (unlock() != 0) { // never true
                failed = 1;
            }
            sent++;
        }
    } while (last != sent);
    if (unlock() != 0) { // never true
        failed = 1;
    }
    if (failed) { // never true
        return 1;
    }
    return 0;
}
