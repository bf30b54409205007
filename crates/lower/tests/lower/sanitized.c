/* flags: -fsanitize=undefined -fno-sanitize=function,vptr -fsanitize-trap=all */
/* Checks of the undefined behavior sanitizer are oracle sites. */
int divide(int a, int b) { return a / b; }
int index_of(int i) { int t[4] = {1, 2, 3, 4}; return t[i]; }
int shift(int a, int b) { return a << b; }
int follow(int *p) { return *p + 1; }
int explicit_trap(int x) { if (x == 3) __builtin_trap(); return x; }
