#include <string.h>
#include <stdlib.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int verbose = 0, level = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0) {
            verbose++;
        } else if (argv[i][0] == '-' && argv[i][1] == 'l') {
            level = atoi(argv[i] + 2);
        }
    }
    if (verbose == 2) {
        puts("very");
    }
    if (level == 37 && verbose == 1) {
        puts("level");
    }
    return 0;
}
