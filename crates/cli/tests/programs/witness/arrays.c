/* Arrays that loop counters index. */
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { __builtin_abort(); }

struct pair {
  int first;
  unsigned char second;
};

static void set(struct pair *pair, int value) { pair->second = (unsigned char)value; }

int main(void) {
  int cells[4] = {0, 0, 0, 0};
  struct pair pair = {1, 2};
  int i = 0;
  int x = __VERIFIER_nondet_int();
  while (i < 4) {
    if (i < 0) reach_error();
    cells[i] = x;
    i++;
  }
  for (i = 0; i < 3; ++i) {
    set(&pair, i);
    if (pair.first != 1) reach_error();
  }
  if (i != 3) reach_error();
  return cells[3] + pair.second;
}
