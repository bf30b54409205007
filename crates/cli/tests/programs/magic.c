/* Nested comparisons of single bytes; at the end the program aborts. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char b[8];
    if (fread(b, 1, 8, stdin) != 8) return 0;
    if (b[0] == 'm')
        if (b[1] == 'a')
            if (b[2] == 'g')
                if (b[3] == 'i')
                    if (b[4] == 'c')
                        if (b[5] == '!')
                            if (b[6] == b[7]) abort();
    return 0;
}
