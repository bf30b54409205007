struct registers {
  volatile unsigned control, status;
};

__attribute__((weak)) const int limit = 4;
static volatile int got;

__attribute__((weak)) int hook(int x) { return x + limit; }
__attribute__((weak)) void stop(void) {
  for (;;) {
  }
}
static int own(int x) { return x * 2; }
int named(int x) __attribute__((weak, alias("own")));
int (*const table[])(int) = {hook, own};

int start(struct registers *r, int x) {
  volatile int local = x;
  r->control = 1;
  if (r->status & 1)
    stop();
  return hook(local) + table[x & 1](x) + named(got);
}
