// inputs: a7
// checked: too
// each: alone
#include <labrys.h>
#include <vector>
#include <string>
#include <stdexcept>
#include <memory>
static int n;
struct G { ~G() { n++; } };
static int get(std::vector<int> &v, size_t i) { G g; return v.at(i); }
static void (*volatile fp)(int);
static void t1(int k) { if (k == 1) throw std::string("abc"); }
static void t2(int k) noexcept(false) { throw k; }
struct V { virtual void f(int k) { throw k + 1; } virtual ~V() {} }; struct W : V { void f(int k) override { throw 'c'; } };
static __attribute__((noinline)) int body(int argc, char **argv) {
  std::vector<int> v(3);
  try { get(v, 5); } catch (const std::exception &) { if (n == 1) labrys_target("one"); }
  fp = t1;
  try { fp(argc); } catch (std::string &s) { if (s.size() == 3) labrys_target("str"); }
  fp = t2;
  try { fp(argc); } catch (int k) { if (k == 1) labrys_target("int1"); }
  V *p = argc > 5 ? new V : new W;
  try { p->f(1); } catch (char c) { if (c == 'c') labrys_target("chr"); } catch (int) { labrys_target("never"); }
  int i = 0;
  for (; i < 3; i++) { try { if (i == 1) throw i; continue; } catch (int k) { if (k == 1) break; } }
  if (i == 1) labrys_target("i1");
  try { std::unique_ptr<int> q(new int(4)); t2(*q); } catch (int k) { if (k == 4) labrys_target("four"); }
  auto lam = [&](int k) { if (k) throw k; return 1; };
  try { lam(argc); } catch (int) { labrys_target("lambda"); }
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
