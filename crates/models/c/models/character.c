/* Classes of characters in the C locale. */

int MODEL(tolower)(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }
int MODEL(toupper)(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c; }

/* The classification functions of the C locale, as range checks. */
#define RANGE(c, from, to) ((unsigned)(c) - (from) <= (unsigned)(to) - (from))
int MODEL(isdigit)(int c) { return RANGE(c, '0', '9'); }
int MODEL(isupper)(int c) { return RANGE(c, 'A', 'Z'); }
int MODEL(islower)(int c) { return RANGE(c, 'a', 'z'); }
int MODEL(isalpha)(int c) { return RANGE(c | 32, 'a', 'z') & (c >= 0 && c < 128); }
int MODEL(isalnum)(int c) { return MODEL(isalpha)(c) | MODEL(isdigit)(c); }
int MODEL(isspace)(int c) { return (c == ' ') | RANGE(c, '\t', '\r'); }
int MODEL(isblank)(int c) { return (c == ' ') | (c == '\t'); }
int MODEL(isxdigit)(int c) { return RANGE(c, '0', '9') | RANGE(c, 'A', 'F') | RANGE(c, 'a', 'f'); }
int MODEL(iscntrl)(int c) { return RANGE(c, 0, 31) | (c == 127); }
int MODEL(isprint)(int c) { return RANGE(c, 32, 126); }
int MODEL(isgraph)(int c) { return RANGE(c, 33, 126); }
int MODEL(ispunct)(int c) { return RANGE(c, 33, 126) & !MODEL(isalnum)(c); }

