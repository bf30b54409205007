extern int puts(const char *);
void _start(void) { puts("x"); for (;;) {} }
