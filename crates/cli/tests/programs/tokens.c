/* A tokenizer of something like JSON with targets at various depths. */
#include <stdio.h>
#include <string.h>

#include "labrys.h"

static char text[256];
static int length, at, strings, numbers;

static void blanks(void) {
    while (at < length && (text[at] == ' ' || text[at] == '\n')) at++;
}

static int string(void) {
    int start = ++at;
    while (at < length && text[at] != '"') at++;
    if (at >= length) return 0;
    if (at - start == 3 && !memcmp(text + start, "key", 3)) labrys_target("key");
    at++;
    strings++;
    return 1;
}

static int number(void) {
    int value = 0, digits = 0;
    for (; at < length && text[at] >= '0' && text[at] <= '9'; at++, digits++)
        value = value * 10 + (text[at] - '0');
    numbers++;
    if (value == 1337) labrys_target("number");
    return digits > 0;
}

static int value(int depth) {
    if (depth == 4) labrys_target("deep");
    if (depth > 20) return 0;
    blanks();
    if (at >= length) return 0;
    if (text[at] == '"') return string();
    if (text[at] == '[') {
        at++;
        for (;;) {
            if (!value(depth + 1)) return 0;
            blanks();
            if (at >= length) return 0;
            if (text[at] == ']') break;
            if (text[at++] != ',') return 0;
        }
        at++;
        return 1;
    }
    if (length - at >= 4 && !memcmp(text + at, "true", 4)) {
        at += 4;
        labrys_target("true");
        return 1;
    }
    return number();
}

int main(void) {
    length = fread(text, 1, sizeof text, stdin);
    if (!value(0)) return 1;
    blanks();
    if (at != length) return 1;
    labrys_target("valid");
    if (strings == 2 && numbers == 2) labrys_target("long");
    return 0;
}
