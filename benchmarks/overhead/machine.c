/* An interpreter of byte code that looks for primes: concrete work. */
#include <stdio.h>
#include <stdlib.h>

enum { PUSH, LOAD, STORE, ADD, MOD, LESS, JUMP, JUMP_IF_ZERO, HALT };

static const int program[] = {
    PUSH, 2,  STORE, 0,                                             /* 0: n = 2 */
    LOAD, 0,  LOAD,  3, LESS, JUMP_IF_ZERO, 50,                     /* 4: while n < limit */
    PUSH, 2,  STORE, 1,                                             /* 11: d = 2 */
    LOAD, 1,  LOAD,  0, LESS, JUMP_IF_ZERO, 36,                     /* 15: while d < n */
    LOAD, 0,  LOAD,  1, MOD, JUMP_IF_ZERO, 43,                      /* 22: n % d == 0: next */
    LOAD, 1,  PUSH,  1, ADD, JUMP, 51,                              /* 29: d = d + 1 */
    LOAD, 2,  PUSH,  1, ADD, STORE, 2,                              /* 36: count = count + 1 */
    LOAD, 0,  PUSH,  1, ADD, JUMP, 55,                              /* 43: n = n + 1 */
    HALT,                                                           /* 50 */
    STORE, 1, JUMP,  15,                                            /* 51 */
    STORE, 0, JUMP,  4,                                             /* 55 */
};

static long run(long limit) {
  long stack[16], variables[4] = {0, 0, 0, limit};
  int top = 0;
  for (const int *at = program;;) {
    switch (*at++) {
    case PUSH: stack[top++] = *at++; break;
    case LOAD: stack[top++] = variables[*at++]; break;
    case STORE: variables[*at++] = stack[--top]; break;
    case ADD: top--, stack[top - 1] += stack[top]; break;
    case MOD: top--, stack[top - 1] %= stack[top]; break;
    case LESS: top--, stack[top - 1] = stack[top - 1] < stack[top]; break;
    case JUMP: at = program + *at; break;
    case JUMP_IF_ZERO: at = stack[--top] ? at + 1 : program + *at; break;
    case HALT: return variables[2];
    }
  }
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  long sum = 0;
  for (int r = 0; r < rounds; r++) sum += run(1000 + r);
  printf("%ld\n", sum);
}
