/* Inputs by intrinsics; a target behind an equation, an assumption before it. */
#include "labrys.h"

struct point {
    int x;
    short y;
};

int main(void) {
    struct point p;
    unsigned char flag;
    labrys_symbolic(&p, sizeof p, "p");
    labrys_assume(p.x > 1000);
    if (p.x * 3 + p.y == 7777) {
        labrys_symbolic(&flag, 1, "flag");
        if (flag == 200) labrys_target("solved");
    }
    return 0;
}
