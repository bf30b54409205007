/* Library functions in plain C, instrumented with the program, so that decisions on input
 * inside the library are decisions that the search sees.
 *
 * A model of NAME is __labrys_m_NAME; calls of NAME in the program are redirected to it. Where
 * no byte involved carries a label the model calls the library's own function: models cost
 * nothing on concrete data. Calls inside models are never redirected.
 *
 * One file per family of functions, in one translation unit.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <printf.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <wchar.h>
#include <wctype.h>

typedef unsigned char byte;

/* Does no byte of [p, p + size) carry a label? */
extern int __labrys_concrete(const void *p, size_t size);
/* The library has written or will write these bytes. */
extern void __labrys_unlabel(const void *p, size_t size);
/* The library's function reads what may carry labels and makes of it what does not: counted. */
extern void __labrys_unseen(const char *function);
/* At most n bytes of two strings are compared, without regard to case. */
extern void __labrys_compared(const char *a, const char *b, size_t n);
/* Does the FILE read an input of this run? */
extern int __labrys_reads_input(FILE *f);

/* Functions of the runtime that labels pass through. */
extern void *__labrys_w_malloc(size_t size);
extern void __labrys_w_free(void *p);
extern int __labrys_w_strncmp(const char *a, const char *b, size_t n);
extern int __labrys_w_memcmp(const void *a, const void *b, size_t n);
extern void *__labrys_w_memcpy(void *to, const void *from, size_t n);
extern int __labrys_w_fgetc(FILE *f);
extern int __labrys_w_ungetc(int c, FILE *f);
extern wint_t __labrys_w_fgetwc(FILE *f);

#define MODEL(name) __labrys_m_##name
#define CONCRETE_STRING(s) __labrys_concrete(s, strlen(s) + 1)

#include "models/decimal.h"

#include "models/character.c"
#include "models/string.c"
#include "models/number.c"
#include "models/address.c"
#include "models/sort.c"
#include "models/options.c"
#include "models/scan.c"
#include "models/format.c"
#include "models/wide.c"
#include "models/wide_string.c"
#include "models/integer.c"
#include "models/parts.c"
#include "models/allocation.c"
