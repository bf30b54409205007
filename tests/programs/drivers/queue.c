/* A ring buffer of four elements: head and tail stay inside, and the count between 0 and 4. */
extern int __VERIFIER_nondet_int(void);

static int buffer[4];
static unsigned head, tail, count;

static int put(int value) {
    if (count == 4) {
        return -1;
    }
    if (tail >= 4) { // never true
        return -2;
    }
    buffer[tail] = value;
    tail = (tail + 1) % 4;
    count++;
    return 0;
}

static int get(int *value) {
    if (count == 0) {
        return -1;
    }
    if (head > 3) { // never true
        return -2;
    }
    *value = buffer[head];
    head = (head + 1) % 4;
    count--;
    return 0;
}

int main(void) {
    int value = 0;
    int sum = 0;
    for (;;) {
        int request = __VERIFIER_nondet_int();
        if (request == 0) {
            break;
        }
        if (request > 0) {
            if (put(request & 15) < -1) { // never true
                return 1;
            }
        } else if (get(&value) == 0) {
            sum += value & 15;
        }
        if (count > 4) { // never true
            return 2;
        }
    }
    return sum > 20;
}
