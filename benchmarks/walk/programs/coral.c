/* One-condition functions in the manner of the CORAL benchmark. */
#define LIST "coral.inc"
#include "functions.h"
