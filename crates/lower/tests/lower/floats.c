/* Floating arithmetic, comparisons and conversions; the x87 type has no model. */
double mean(const double *values, int count) {
    double sum = 0.5;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return count ? sum / count : -sum;
}

float convert(int a, unsigned b, double c, long double d) {
    float x = (float)a + (float)b - (float)c;
    if (x != x || c > 1e300)
        return -x;
    return x * (float)(int)c + (float)(unsigned)c + (float)d;
}

long double extended(long double a) { return a * 2.5L; }

double library(double a, double b) {
    return __builtin_fabs(a) + __builtin_floor(b) + __builtin_sqrt(a) + __builtin_copysign(a, b)
        + __builtin_fma(a, b, 1.0) + __builtin_fmod(a, b);
}

_Complex float turn(_Complex float z) { return z * 1.0fi; }

const long double third = 0x1.5555p-2L;
