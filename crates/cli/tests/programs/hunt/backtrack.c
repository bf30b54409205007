/* `store` writes behind its table for slots from 8 on. `checked` never passes such a slot; `raw`
   does. Both are called with numbers of the input. */
#include <stdio.h>
#include <stdlib.h>

static int table[8];
static int stored;

void store(int slot, int value) {
    int *place = 0;
    if (slot < 0)
        return;
    if (slot < 8)
        place = &table[slot];
    if (value == 77)
        *place = value;
    stored++;
}

void checked(int slot, int value) {
    if (slot > 7)
        slot = 7;
    store(slot, value);
}

void raw(int slot, int value) {
    if (stored > 1)
        store(slot, value);
}

int main(void) {
    int slot, value;
    char mode;
    while (scanf(" %c %d %d", &mode, &slot, &value) == 3) {
        if (mode == 'r')
            raw(slot, value);
        else
            checked(slot, value);
    }
    printf("%d\n", stored);
    return 0;
}
