/* As coral.c; held out while the walk was tuned. */
#define LIST "held_out.inc"
#include "functions.h"
