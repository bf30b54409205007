/* Units of `first`, `percent` and `copy` fail; the program does not. */
#include <stdio.h>
#include <string.h>

static char buffer[8];

char first(const char *text) {
    return text[0];
}

int percent(int part, int whole) {
    return 100 * part / whole;
}

void copy(const char *text, int length) {
    for (int i = 0; i < length; i++)
        buffer[i] = text[i];
}

int main(void) {
    char line[64];
    int whole = 0, part = 0;
    while (fgets(line, sizeof line, stdin)) {
        whole++;
        if (first(line) == '#')
            part++;
        int length = (int)strlen(line);
        if (length <= 8)
            copy(line, length);
    }
    if (whole > 0)
        printf("%d\n", percent(part, whole));
    return 0;
}
