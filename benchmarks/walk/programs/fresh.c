/* As coral.c; written after the walk was finished, and run once before anything was mended. */
#define LIST "fresh.inc"
#include "functions.h"
