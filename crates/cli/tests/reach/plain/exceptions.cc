// inputs: a7
// checked: too
// each: alone
#include <labrys.h>
#include <cstdlib>
#include <algorithm>
#include <vector>
#include <string>
#include <map>
#include <stdexcept>
struct X { int n; X(int k) : n(k) {} X(const X &o) : n(o.n + 1) {} ~X() { count++; } static int count; };
int X::count;
static int deep(int k) { X x(k); if (k == 0) throw X(40); return deep(k - 1) + 1; }
static int order(const void *a, const void *b) { throw 7; }
struct F { int v; F() try : v(thrown()) {} catch (int e) { labrys_target("fntry"); throw; } static int thrown() { throw 3; } };
static __attribute__((noinline)) int body(int argc, char **argv) {
  try { deep(3); } catch (X &x) { if (x.n == 40) labrys_target("n40"); if (x.n == 41) labrys_target("n41"); x.n = 9; try { throw; } catch (X &y) { if (y.n == 9) labrys_target("same"); } }
  if (X::count >= 5) labrys_target("count");
  int v[2] = {2, 1};
  try { qsort(v, 2, 4, order); } catch (int e) { if (e == 7) labrys_target("through"); }
  try { F f; } catch (int e) { if (e == 3) labrys_target("three"); }
  try { try { throw 1; } catch (int) { throw 2L; } } catch (long l) { if (l == 2) labrys_target("second"); }
  try { throw "text"; } catch (const char *s) { if (s[0] == 't') labrys_target("text"); }
  try { throw 1; } catch (long) { labrys_target("wrongtype"); } catch (...) { labrys_target("any"); }
  std::vector<int> w; 
  try { w.at(3) = 1; } catch (std::out_of_range &) { labrys_target("range"); }
  std::exception_ptr p;
  try { throw 5; } catch (...) { p = std::current_exception(); }
  try { std::rethrow_exception(p); } catch (int e) { if (e == 5) labrys_target("re"); }
  try { std::stoi("zz"); } catch (std::invalid_argument &) { labrys_target("stoi"); }
  if (std::uncaught_exceptions() == 0) labrys_target("unc");
  std::map<std::string, int> m; m["a"]++; m["b"] += 2;
  if (m.begin()->second == 1 && m.rbegin()->second == 2) labrys_target("map");
  std::sort(w.begin(), w.end());
  return 0;
}
int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
