/* labrys.h: tell Labrys about inputs, assumptions and targets.
 *
 * A program that uses these functions is built by labrys-cc, which finds this file and links
 * their definitions. */
#ifndef LABRYS_H
#define LABRYS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes `size` bytes at `object` an input of the program, called `name` in test cases. */
void labrys_symbolic(void *object, size_t size, const char *name);

/* Ends the run, without blame, unless `condition` holds: inputs for which it does not are of
 * no interest. */
void labrys_assume(int condition);

/* Names this place, so that `labrys reach --target name` finds an input that gets here. */
void labrys_target(const char *name);

/* Marks a function as pure: it takes one to four numbers (int, long, float, double), and its
 * result, a number, depends on them alone. Labrys does not look into it, but calls it when it
 * solves conditions on its result.
 *
 *   labrys_pure double pressure(double height); */
#ifdef __clang__
#define labrys_pure __attribute__((annotate("labrys_pure")))
#else
#define labrys_pure
#endif

#ifdef __cplusplus
}
#endif

#endif
