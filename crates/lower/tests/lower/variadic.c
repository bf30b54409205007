/* Definitions with variable arguments. */
#include <stdarg.h>

int sum(int count, ...) {
    va_list list, second;
    va_start(list, count);
    va_copy(second, list);
    int total = 0;
    for (int i = 0; i < count; i++)
        total += va_arg(list, int);
    total += (int)va_arg(second, double) + (int)va_arg(second, long double);
    va_end(second);
    va_end(list);
    return total;
}
