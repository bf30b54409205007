/* Numbers of several widths and both signs. */
extern char __VERIFIER_nondet_char(void);
extern long __VERIFIER_nondet_long(void);
void reach_error(void) { __builtin_abort(); }

int main(void) {
  char low = __VERIFIER_nondet_char();
  long wide = __VERIFIER_nondet_long();
  if (low > 20) low = 20;
  if (wide < -5) wide = -5;
  int sum = 0;
  while (low > 0 && wide < 1000) {
    low--;
    wide = wide + (unsigned char)low;
    sum = (int)wide;
    if ((long)low < -1) reach_error();
  }
  if (wide < -5) reach_error();
  return sum == 7;
}
