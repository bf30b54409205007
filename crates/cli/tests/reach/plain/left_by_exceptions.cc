// inputs: a7
// checked: too
// each: alone
// proved: control
#include <labrys.h>
static int n = 1; static int *where;
static int mid(int k) { n = 2; if (k > 0) throw k; n = 3; return 4; }
static int outer(int k) { int r = mid(k); n = 5; return r; }
static void fill(int *p, int k) { *p = 7; if (k > 0) throw 1.5; *p = 8; }
struct D { int *p; ~D() { *p += 10; } };
static int with(int k, int *p) { D d{p}; return mid(k); }
static int never;
static __attribute__((noinline)) int body(int argc, char **argv) {
  int r = 0;
  try { r = outer(argc); } catch (int k) { if (n == 2) labrys_target("n2"); if (n == 3) labrys_target("n3"); if (k == 1) labrys_target("k1"); if (r == 0) labrys_target("r0"); }
  int v = 0;
  try { fill(&v, argc); } catch (double) { if (v == 7) labrys_target("v7"); if (v == 8) labrys_target("v8"); }
  int u = 0;
  try { with(argc, &u); } catch (...) { if (u == 10) labrys_target("u10"); if (u == 0) labrys_target("u0"); }
  if (n == 2) labrys_target("last");
  if (never) labrys_target("control");
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
