/* Operations through a table of functions: open before read, close after open. */
extern int __VERIFIER_nondet_int(void);

struct device;
typedef int (*operation)(struct device *);

struct device {
    int open;
    int position;
    int errors;
};

static int device_open(struct device *device) {
    if (device->open) { // never true
        device->errors++;
        return -1;
    }
    device->open = 1;
    device->position = 0;
    return 0;
}

static int device_read(struct device *device) {
    if (!device->open) { // never true
        device->errors++;
        return -1;
    }
    if (device->position >= 3) {
        return 0;
    }
    device->position++;
    return 1;
}

static int device_close(struct device *device) {
    if (!device->open) { // never true
        device->errors++;
        return -1;
    }
    device->open = 0;
    return 0;
}

static const operation operations[3] = {device_open, device_read, device_close};

int main(void) {
    struct device device = {0, 0, 0};
    int is_open = 0;
    for (;;) {
        int request = __VERIFIER_nondet_int();
        if (request == 7) {
            break;
        }
        if (!is_open) {
            operations[0](&device);
            is_open = 1;
        } else if (request == 8) {
            operations[2](&device);
            is_open = 0;
        } else {
            operations[1](&device);
        }
        if (device.errors != 0) { // never true
            return 1;
        }
    }
    return 0;
}
