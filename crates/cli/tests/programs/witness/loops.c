/* A loop in main, and a loop in it. */
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { __builtin_abort(); }

int total;

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 9) n = 9;
  if (n < 0) n = 0;
  int inner = 0;
  for (int i = 0; i < n; i++) {
    int j = i;
    while (j > 0) {
      j--;
      inner++;
    }
    if (j != 0) reach_error();
    total = i;
  }
  if (total < 0) reach_error();
  return 0;
}
