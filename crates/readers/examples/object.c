extern int puts(const char *);
int limit = 3;
int above(int x) { return x > limit; }
