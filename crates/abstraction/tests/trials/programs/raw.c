#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stdio.h>
int main(void) {
    char *buffer = malloc(512);
    if (!buffer) return 1;
    ssize_t n = read(0, buffer, 511);
    if (n <= 0) return 1;
    buffer[n] = 0;
    char *colon = strchr(buffer, ':');
    if (colon && colon - buffer == 4) {
        if (memcmp(buffer, "Host", 4) == 0 && colon[1] == ' ') {
            if (strstr(colon, "xyz")) { puts("host"); return 5; }
        }
    }
    free(buffer);
    return 0;
}
