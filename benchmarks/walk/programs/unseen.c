/* As coral.c; written before the stack's order was changed, and run before and after. */
#define LIST "unseen.inc"
#include "functions.h"
