/* TRE in place of its configure: see tre-config.h. */
#include "tre-config.h"
#define TRE_REGEX_T_FIELD value
