/* More paths than anybody can explore, beside branches that no input takes. */
#include <stdio.h>

static int between(int value) {
    if (value > 100) {
        if (value < 50) return 1; /* dead: true */
        return 2;
    }
    return 0;
}

static unsigned twice(unsigned value) {
    unsigned sum = value + value;
    if (sum & 1) return 1; /* dead: true */
    return sum;
}

int main(void) {
    unsigned hash = 0;
    int first = getchar();
    int c;
    while ((c = getchar()) != EOF) {
        if (c & 1) hash += 3;
        if (c & 2) hash ^= 5;
        if (c > 'k') hash *= 7;
    }
    if (between(first) == 2) hash += twice(hash);
    if (first == 'x' && first == 'y') hash = 0; /* dead: second true */
    return hash & 1;
}
