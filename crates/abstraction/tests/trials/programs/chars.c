#include <stdio.h>
int main(void) {
    int c, depth = 0, quoted = 0;
    while ((c = getchar()) != EOF) {
        if (quoted) {
            if (c == '"') {
                quoted = 0;
                int next = getchar();
                if (next == '(' && depth == 3) {
                    puts("deep");
                    return 2;
                }
                ungetc(next, stdin);
            }
        } else if (c == '(') {
            depth++;
        } else if (c == ')') {
            depth--;
        } else if (c == '"') {
            quoted = 1;
        }
    }
    if (depth == -2) {
        puts("under");
    }
    return 0;
}
