/* A function with a loop that is called twice. */
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { __builtin_abort(); }

static int sum(unsigned char n, int step) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    if (i < 0 || i > 254) reach_error();
    s += step;
  }
  return s;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (sum(3, 1) < 0) reach_error();
  return sum(n == 5 ? 5 : 2, 7);
}
