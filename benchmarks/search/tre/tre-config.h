/* TRE without wide characters, alloca and approximate matching, in place of its configure. */
#define HAVE_SYS_TYPES_H 1
#define TRE_VERSION "0.8.0"
#define TRE_VERSION_1 0
#define TRE_VERSION_2 8
#define TRE_VERSION_3 0
