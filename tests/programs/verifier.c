/* A task of Test-Comp, unchanged: every type of value, assumptions, an error function that the
 * task defines. */
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *)
    __attribute__((__nothrow__, __leaf__)) __attribute__((__noreturn__));
void reach_error() { __assert_fail("0", "verifier.c", 3, "reach_error"); }
void assume_abort_if_not(int cond) {
  if (!cond) {
    abort();
  }
}
extern void labrys_target(const char *);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long __VERIFIER_nondet_size_t(void);
extern unsigned int __VERIFIER_nondet_unsigned(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
extern void *__VERIFIER_nondet_pointer(void);
extern void __VERIFIER_nondet_memory(void *, unsigned long);
extern void __VERIFIER_assume(int);

void __VERIFIER_assert(int cond) {
  if (!cond) {
  ERROR:
    reach_error();
    abort();
  }
}

int main() {
  if (__VERIFIER_nondet_bool()) labrys_target("bool");
  if (__VERIFIER_nondet_char() == -100) labrys_target("char");
  if (__VERIFIER_nondet_uchar() == 200) labrys_target("uchar");
  if (__VERIFIER_nondet_short() == -30000) labrys_target("short");
  if (__VERIFIER_nondet_ushort() == 60000) labrys_target("ushort");
  if (__VERIFIER_nondet_uint() > 4000000000u) labrys_target("uint");
  if (__VERIFIER_nondet_long() == -5000000000) labrys_target("long");
  if (__VERIFIER_nondet_ulong() == 0xfedcba9876543210) labrys_target("ulong");
  if (__VERIFIER_nondet_longlong() % 1000 == 777) labrys_target("longlong");
  if (__VERIFIER_nondet_size_t() == 1ul << 40) labrys_target("size");
  if (__VERIFIER_nondet_unsigned() == 5) labrys_target("unsigned");
  if (__VERIFIER_nondet_float() == 0.25f) labrys_target("float");
  if (__VERIFIER_nondet_double() > 1e300) labrys_target("double");
  if (__VERIFIER_nondet_pointer() == (void *)64) labrys_target("pointer");
  char block[4];
  __VERIFIER_nondet_memory(block, 4);
  if (block[0] == 'm' && block[3] == 'y') labrys_target("memory");
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 100);
  if (x == 50) labrys_target("assumed-away");
  int y = __VERIFIER_nondet_int();
  assume_abort_if_not(y == x + 1);
  labrys_target("assumed");
  __VERIFIER_assert(x != 4711);
}
/* never: assumed-away
 * failures: assertion */
