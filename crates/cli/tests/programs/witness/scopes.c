/* Names that are declared twice, and variables that are set on some ways only. */
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { __builtin_abort(); }

int x = 3;

int main(void) {
  int n = __VERIFIER_nondet_int(), late;
  if (n > 50) n = 50;
  int i = 0;
  while (i < 4) {
    int x = 100 + i;
    for (int i = 10; i > 0; i -= 2) {
      x--;
      if (i < 2) reach_error();
      if (n == i) continue;
      late = x;
    }
    i++;
    if (i > 4) reach_error();
  }
  if (i < 4) reach_error();
  return x + (n == 60 ? late : 0);
}
