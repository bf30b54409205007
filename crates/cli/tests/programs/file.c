/* Reads the file that its first argument names: a tag, a length, and so many equal bytes. */
#include <stdio.h>

int main(int argc, char **argv) {
    if (argc < 2) return 3;
    FILE *f = fopen(argv[1], "rb");
    if (!f) return 4;
    if (getc(f) != 'T') return 1;
    int n = getc(f);
    if (n < 3 || n > 9) return 1;
    int first = getc(f);
    for (int i = 1; i < n; i++)
        if (getc(f) != first) return 1;
    if (getc(f) != EOF) return 1;
    return 42;
}
