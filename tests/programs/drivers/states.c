/* A device: off, idle, busy, error. Requests move it; it is never busy and powered off. */
extern int __VERIFIER_nondet_int(void);

enum { OFF, IDLE, BUSY, ERROR };

static int state = OFF;
static int powered;
static int jobs;

static void step(int request) {
    if (state == OFF) {
        if (request == 1) {
            powered = 1;
            state = IDLE;
        }
    } else if (state == IDLE) {
        if (request == 2) {
            jobs = 1;
            state = BUSY;
        } else if (request == 3) {
            powered = 0;
            state = OFF;
        }
    } else {
        if (!powered) { // never true
            state = ERROR;
        } else if (request == 4) {
            jobs = 0;
            state = IDLE;
        }
    }
}

int main(void) {
    for (int turn = 0; turn < 50; turn++) {
        step(__VERIFIER_nondet_int());
        if (state == ERROR) { // never true
            return 1;
        }
        if (state == BUSY) {
            if (jobs != 1) { // never true
                return 2;
            }
        }
    }
    return 0;
}
