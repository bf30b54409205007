/* A count of references that is taken and dropped; the object is freed once. */
extern int __VERIFIER_nondet_int(void);

static int count;
static int freed;

static int take(void) {
    if (freed) { // never true
        return -1;
    }
    count++;
    return 0;
}

static void drop(void) {
    count--;
    if (count == 0) {
        if (freed) { // never true
            count = -100;
        }
        freed = 1;
    }
}

int main(void) {
    count = 1;
    int held = 0;
    while (!freed) {
        int request = __VERIFIER_nondet_int();
        if (request == 1 && held == 0) {
            if (take() != 0) { // never true
                return 1;
            }
            held = 1;
        } else if (request == 2 && held == 1) {
            drop();
            held = 0;
        } else if (request == 3) {
            if (held == 1) {
                drop();
                held = 0;
            }
            drop();
        }
        if (count < 0) { // never true
            return 2;
        }
    }
    return 0;
}
