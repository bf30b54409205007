/* More paths than anybody can explore. */
#include <stdio.h>

int main(void) {
    unsigned hash = 0;
    int c;
    while ((c = getchar()) != EOF) {
        if (c & 1) hash += 3;
        if (c & 2) hash ^= 5;
        if (c > 'k') hash *= 7;
        if (hash % 97 == 96) hash++;
    }
    return hash & 1;
}
