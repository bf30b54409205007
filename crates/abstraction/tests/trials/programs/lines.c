#include <stdio.h>
#include <string.h>
#include <stdlib.h>
int main(void) {
    char line[256];
    int step = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (step == 0 && strcmp(line, "begin\n") == 0) {
            step = 1;
        } else if (step == 1 && strncmp(line, "size ", 5) == 0) {
            int n = atoi(line + 5);
            if (n == 4711) {
                step = 2;
            }
        } else if (step == 2 && strlen(line) == 7 && line[5] == '!') {
            puts("there");
            return 3;
        }
    }
    return 0;
}
