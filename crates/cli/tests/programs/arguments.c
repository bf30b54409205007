/* Crashes for one word in its second argument. */
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    if (strcmp(argv[1], "open")) return 1;
    if (argv[2][0] == 's' && argv[2][1] == 'e' && argv[2][2] == 's' && argv[2][3] == 0)
        *(volatile int *)0 = 1;
    return 0;
}
