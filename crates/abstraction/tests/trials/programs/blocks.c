#include <stdio.h>
#include <string.h>
struct header { unsigned magic; unsigned short count; unsigned short kind; };
int main(int argc, char **argv) {
    if (argc != 3) {
        return 1;
    }
    FILE *file = fopen(argv[2], "rb");
    if (!file) {
        return 1;
    }
    struct header header;
    if (fread(&header, sizeof header, 1, file) != 1 || header.magic != 0xfeedbeef) {
        return 2;
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < header.count; i++) {
        unsigned char record[4];
        if (fread(record, 1, 4, file) != 4) {
            return 3;
        }
        sum += record[0] * 256 + record[3];
    }
    if (header.kind == 7 && header.count == 2 && sum == 0x1234) {
        if (strcmp(argv[1], "-x") == 0) {
            puts("found");
        }
        return 4;
    }
    return 0;
}
