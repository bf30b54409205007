/* The shape of figure 1 of the paper: g fails for strings that begin with C and have a second
   character; f, which calls it, looks at strings that begin with B for long. */
#include <stdio.h>
#include <string.h>

static int counts[4];

void g(const char *s) {
    if (*s == 'C') {
        if (*(s + 1) != '\0') {
            int *nowhere = 0;
            *nowhere = 1;
        }
        counts[0]++;
    }
}

void f(const char *s) {
    if (*s == 'B') {
        for (const char *p = s + 1; *p != '\0'; p++) {
            if (*p == 'x')
                counts[1]++;
            else if (*p == 'y')
                counts[2]++;
        }
    }
    g(s);
}

int main(void) {
    char line[16];
    if (fgets(line, sizeof line, stdin) == 0)
        return 0;
    line[strcspn(line, "\n")] = '\0';
    if (line[0] >= 'A' && line[0] <= 'Z')
        f(line);
    else
        g("constant");
    return 0;
}
