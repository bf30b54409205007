/* A task without an end that asks for values in each round: an automaton of five words. The runs go
 * on after the part of their input that is recorded. */
#include <labrys.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int condition);

int main(void) {
  int state = 0;
  for (;;) {
    unsigned word = __VERIFIER_nondet_uint();
    __VERIFIER_assume(word < 6);
    if (state == 0 && word == 2) state = 1;
    else if (state == 1 && word == 3) state = 2;
    else if (state == 2 && word == 5) state = 3;
    else if (state == 3 && word == 1) state = 4;
    else if (state == 4 && word == 4) labrys_target("five words");
    else if (word == 0) state = 0;
  }
}
