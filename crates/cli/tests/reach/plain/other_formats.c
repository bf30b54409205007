#include <labrys.h>
#include <syslog.h>
#include <stdio.h>
#include <err.h>
#include <wchar.h>
int main(int argc, char**argv) {
  int n = 5, m = 5;
  char fm[10] = {argc == 1?'%':'x', 'n', 0};
  warnx(fm, &n);
  if (n != 5) labrys_target("n0");
  wchar_t wf[10] = {argc == 1?'%':'x', 'n', 0};
  wchar_t wb[10];
  swprintf(wb, 10, wf, &m);
  if (m == 0) labrys_target("m0");
  int k = 5;
  swprintf(wb, 10, L"%n", &k);
  if (k == 0) labrys_target("k0");
  int q = 5;
  dprintf(2, fm, &q);
  if (q == 0) labrys_target("q0");
  return 0;
}
