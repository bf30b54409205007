/* Unsigned numbers that wrap around. */
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) { __builtin_abort(); }

int main(void) {
  unsigned limit = __VERIFIER_nondet_uint();
  unsigned up = 0u - 3u;
  unsigned char small = 250;
  unsigned steps = 0;
  if (limit > 5) limit = 5;
  while (up != limit) {
    up++;
    small += 3;
    steps++;
    if (up > 5 && up < 4294967293u) reach_error();
  }
  if (up > 5) reach_error();
  return small == steps;
}
