/* Nested modes with floats and unions: a heater that never heats above its limit. */
extern int __VERIFIER_nondet_int(void);
extern float __VERIFIER_nondet_float(void);

union setting {
    int raw;
    unsigned char bytes[4];
};

static int heating;
static int mode;
static union setting setting;

static void control(float temperature) {
    if (heating) {
        if (temperature > 80.0f) {
            heating = 0;
        }
    } else if (temperature < 60.0f) {
        heating = 1;
    }
    if (heating) {
        if (temperature > 90.0f) { // never true
            mode = 9;
        }
    }
}

int main(void) {
    setting.raw = 0;
    for (int turn = 0; turn < 10; turn++) {
        int request = __VERIFIER_nondet_int();
        if (request == 1) {
            setting.bytes[0] = 1;
        } else if (request == 2) {
            setting.bytes[0] = 2;
        }
        control(__VERIFIER_nondet_float());
        if (mode == 9) { // never true
            return 1;
        }
        if (setting.raw > 2) { // never true
            return 2;
        }
        if (setting.raw == 2) {
            if (heating) {
                mode = 1;
            } else {
                mode = 2;
            }
        }
        if (mode > 2) { // never true
            return 3;
        }
    }
    return mode;
}
