/* As figure 1, but f tells many letters apart, so that few paths of it pass a string which begins
   with C. */
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
    switch (*s) {
    case 'A': case 'B': counts[1] += s[1]; break;
    case 'C': counts[1] += 2; break;
    case 'D': counts[1] += 3; break;
    case 'E': counts[1] += 4; break;
    case 'F': counts[1] += 5; break;
    case 'G': counts[1] += 6; break;
    case 'H': counts[1] += 7; break;
    case 'I': counts[1] += 8; break;
    case 'J': counts[1] += 9; break;
    case 'K': counts[1] += 10; break;
    case 'L': counts[1] += 11; break;
    default: break;
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
    return 0;
}
