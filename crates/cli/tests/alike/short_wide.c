// options: -fshort-wchar
// Wide characters of two bytes: those of the C library have four.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static size_t length(const wchar_t *text) {
    size_t count = 0;
    while (text[count]) count++;
    return count;
}

int main(void) {
    wchar_t wide[8] = L"ab";
    char text[8] = {0};
    if (!fgets(text, sizeof text, stdin)) return 1;
    for (size_t at = 0; at < 3; at++) wide[2 + at] = (wchar_t)(text[at] * 0x101);
    printf("%zu %zu %s\n", sizeof(wchar_t), length(wide), memcmp(wide + 2, "aabb", 4) ? "no" : "yes");
    return wide[4] == L'\u6363' ? 7 : 0;
}
