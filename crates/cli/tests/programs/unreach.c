/* The example "unreach" of the paper on abstraction-driven testing (figure 6): r is never negative. */
extern int __VERIFIER_nondet_int(void);
extern int printf(const char *, ...);
const int N = 30;
int h(int y) {
  int i, c = 0;
  for (int j = 0; j < N; j++) {
    i = __VERIFIER_nondet_int();
    if (i == c)
      c++;
  }
  return c;
}
void call(int i) {
  if (i < 0)
    printf("Goal unreach\n");
  else
    printf("Goal two\n");
}
int main(void) {
  int i, r = 0;
  i = 5;
  while (i > 0) {
    int tmp = h(i);
    if (tmp > r)
      r = tmp;
    i--;
  }
  call(r);
  return 0;
}
