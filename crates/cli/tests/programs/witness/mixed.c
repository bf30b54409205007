/* What makes variables hard to follow: assignments in conditions, variables that are set on some
   ways only, static ones, recursion, calls through pointers, and addresses that are passed on. */
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { __builtin_abort(); }

static int depth(int n) {
  int r = 0;
  while (r < 3) {
    r++;
    if (n > 0) r += depth(n - 1) > 100;
  }
  return r;
}

int (*pointer)(int);

static int other(int k) {
  int q = k;
  for (q = 0; q < 2; q++) {
    if (q > 5) reach_error();
  }
  return q;
}

static void raise(int *p) {
  while (*p < 5) {
    (*p)++;
  }
}

int main(void) {
  int x, y = 5, n = __VERIFIER_nondet_int(), never;
  if (n > 3) n = 3;
  while ((x = y) > 0) {
    y--;
    if (y < 0) reach_error();
  }
  pointer = n > 1 ? other : depth;
  pointer(n);
  other(7);
  int z, c = 0;
  while (c < 3) {
    if (c == n) z = 7;
    c++;
    if (c > 3) reach_error();
  }
  {
    static int y = 40;
    while (y > 37) y--;
    if (y > 37) reach_error();
  }
  for (int a = 0, b = 10; a < b; a++, b--) {
    int c = a;
    if (c < 0) continue;
    if (a > 6) reach_error();
  }
  for (int i = 0; i < 3; i++) {
    int n = i;
    raise(&n);
  }
  _Bool flag = 0;
  enum { A, B, C } e = A;
  while (e != C) {
    e++;
    flag = !flag;
    if (e > C) reach_error();
  }
  return (n == 99 ? z : 0) + (n == 98 ? never : 0) + flag;
}
