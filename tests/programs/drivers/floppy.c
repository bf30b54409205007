/* A request travels through a stack of drivers: completed or passed on exactly once. */
extern int __VERIFIER_nondet_int(void);

enum { NEW, PENDING, PASSED, DONE };

static int status;
static int completed;
static int lower;

static int complete(void) {
    if (completed) { // never true
        return -1;
    }
    completed = 1;
    status = DONE;
    return 0;
}

static int pass(void) {
    if (status == DONE) { // never true
        return -1;
    }
    lower++;
    status = PASSED;
    return 0;
}

static int power(int minor) {
    if (minor == 2) {
        status = PENDING;
        return pass();
    }
    return complete();
}

static int plug(int minor) {
    switch (minor) {
    case 0:
        return pass();
    case 1:
        if (pass() < 0) { // never true
            return -1;
        }
        return 1;
    default:
        return complete();
    }
}

static int dispatch(int major, int minor) {
    if (major == 22) {
        return power(minor);
    }
    if (major == 27) {
        return plug(minor);
    }
    return complete();
}

int main(void) {
    for (int turn = 0; turn < 20; turn++) {
        status = NEW;
        completed = 0;
        lower = 0;
        int major = __VERIFIER_nondet_int();
        int minor = __VERIFIER_nondet_int();
        if (dispatch(major, minor) < 0) { // never true
            return 1;
        }
        if (completed) {
            if (lower > 0) { // never true
                return 2;
            }
        } else if (lower != 1) { // never true
            return 3;
        }
        if (status == NEW) { // never true
            return 4;
        }
        if (status == PENDING) { // never true
            return 5;
        }
        if (minor == 99) {
            break;
        }
    }
    return 0;
}
