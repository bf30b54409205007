/* The failure needs an option on the command line and a key in the file. */
#include <stdio.h>
#include <string.h>

struct setting {
    char name[12];
    int value;
};

static int scale = 1;

int apply(const struct setting *s) {
    if (strcmp(s->name, "ratio") == 0)
        return 1000 / (s->value - 7 * scale);
    return s->value;
}

int read_setting(const char *line, struct setting *s) {
    const char *equals = strchr(line, '=');
    if (!equals || equals - line >= (int)sizeof s->name)
        return 0;
    memcpy(s->name, line, equals - line);
    s->name[equals - line] = '\0';
    s->value = equals[1] - '0';
    return s->value >= 0 && s->value <= 9;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "-s") != 0)
        return 1;
    FILE *file = fopen(argv[2], "r");
    if (!file)
        return 1;
    char line[64];
    int sum = 0;
    while (fgets(line, sizeof line, file)) {
        struct setting s;
        if (read_setting(line, &s))
            sum += apply(&s);
    }
    fclose(file);
    printf("%d\n", sum);
    return 0;
}
