/* Memory intrinsics and library calls on strings. */
#include <string.h>
struct record { char name[32]; int id; };

int store_record(struct record *to, const struct record *from, const char *name, unsigned long n) {
    struct record zero = {0};
    *to = *from;
    memset(to->name, ' ', sizeof to->name);
    memcpy(to->name, name, n);
    memmove(to->name + 1, to->name, 8);
    if (strlen(name) > 3 && memcmp(to, &zero, sizeof zero) == 0)
        return strcmp(name, "abc");
    return to->name[0] - '0';
}
