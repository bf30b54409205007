/* Variables before the program's first ones of each kind in the checked build. What
 * AddressSanitizer puts behind each variable is a quarter of its size and lies before the next:
 * without these, nothing lies before the first. */

#define GUARD __attribute__((used, visibility("hidden")))

GUARD char __labrys_guard_data[4096] = {1};
GUARD char __labrys_guard_zero[4096];
GUARD const char __labrys_guard_constant[4096] = {1};
GUARD const void *const __labrys_guard_pointers[512] = {__labrys_guard_data};
