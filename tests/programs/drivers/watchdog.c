/* A watchdog timer: configured once, started only if configured, with margins that are checked. */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

static int configured;
static int running;
static unsigned margin;
static unsigned left;

static int set_margin(unsigned seconds) {
    if (seconds < 1 || seconds > 60) {
        return -1;
    }
    margin = seconds;
    configured = 1;
    return 0;
}

static int start(void) {
    if (!configured) {
        return -1;
    }
    if (margin == 0) { // never true
        return -2;
    }
    left = margin;
    running = 1;
    return 0;
}

static int tick(void) {
    if (!running) {
        return 0;
    }
    if (left == 0) { // never true
        return -1;
    }
    left--;
    if (left == 0) {
        running = 0;
        return 1;
    }
    return 0;
}

int main(void) {
    int resets = 0;
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 1:
            set_margin(__VERIFIER_nondet_uint());
            break;
        case 2:
            start();
            break;
        case 3:
            if (tick() < 0) { // never true
                return 1;
            }
            if (!running && configured) {
                resets++;
            }
            break;
        case 4:
            return resets > 2;
        default:
            if (left > 60) { // never true
                return 2;
            }
            if (margin > 60) { // never true
                return 3;
            }
            break;
        }
    }
}
