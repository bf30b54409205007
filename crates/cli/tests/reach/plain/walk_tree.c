// inputs: a7
#include <labrys.h>
#include <search.h>
#include <ftw.h>
#include <dirent.h>
#include <glob.h>
#include <sys/stat.h>
static int seen, picked, failed, freed;
static int each(const char* p, const struct stat* s, int f) {
  seen++;
  labrys_target("ftw");
  return 1;
}
static int each2(const char* p, const struct stat* s, int f, struct FTW* w) {
  if (w->level == 0) labrys_target("nftw");
  return 2;
}
static int pick(const struct dirent* d) {
  picked++;
  labrys_target("scandir");
  return 0;
}
static int bad(const char* p, int e) {
  failed = 1;
  return 0;
}
static int cmp(const void* a, const void* b) {
  labrys_target("tree");
  return *(int*)a - *(int*)b;
}
static void fr(void* p) {
  freed++;
  labrys_target("freed");
}
static __attribute__((noinline)) int body(void) {
  if (ftw("/proc/self/task", each, 3) == 1) labrys_target("one");
  if (nftw("/proc/self/task", each2, 3, 0) == 2) labrys_target("two");
  if (seen) labrys_target("seen");
  struct dirent** l;
  scandir("/", &l, pick, 0);
  if (picked > 1) labrys_target("picked");
  void* root = 0;
  int a = 1, b = 2;
  tsearch(&a, &root, cmp);
  tsearch(&b, &root, cmp);
  tdestroy(root, fr);
  if (freed == 2) labrys_target("both");
  int t[4] = {5, 6}, k = 7;
  size_t n = 2;
  lsearch(&k, t, &n, 4, cmp);
  if (n == 3 && t[2] == 7) labrys_target("lsearch");
  return 0;
}

int main(int argc, char** argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body();
}
