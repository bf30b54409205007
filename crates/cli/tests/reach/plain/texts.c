// proved: control
// inputs: a7
#include <labrys.h>
#include <ctype.h>
#include <strings.h>
#include <stdio.h>
static int never;
static char *volatile t, *volatile o;
static __attribute__((noinline)) int body(int argc, char **argv) {
  volatile int odd = 'a' + 256, minus = -1;
  char s[] = "xaya";
#define C(f, x, y) (t = x, o = y, f(t, o))
  if (strchr(s, odd) == s + 1) labrys_target("strchr_wide");
  if (strrchr(s, odd) == s + 3) labrys_target("strrchr_wide");
  if (memchr(s, odd, 4) == s + 1) labrys_target("memchr_wide");
  if (strchr(s, 0) == s + 4) labrys_target("strchr_end");
  *strchr(s, 'y') = 'Q';
  if (s[2] == 'Q') labrys_target("through");
  if (C(strcmp, "a", "c") == -2) labrys_target("difference");
  if (C(strcmp, "a", "\xff") < 0) labrys_target("above");
  if (C(strcmp, "a", "c") < 0) labrys_target("below");
  volatile size_t two = 2;
  if (memcmp((t = "a\1"), (o = "a\xff"), two) < -1) labrys_target("memcmp");
  if (C(strcasecmp, "A", "_") > 0) labrys_target("folded");
  if (C(strcasecmp, "[", "a") < 0) labrys_target("folded_below");
  if (strncmp((t = "ab"), (o = "xy"), two - 2) == 0) labrys_target("none");
  if (C(strstr, "ab", "") == t) labrys_target("empty");
  if (C(strspn, "ab", "") == 0) labrys_target("span_empty");
  if (C(strcspn, "ab", "") == 2) labrys_target("outside_empty");
  char n[5] = "zzzz";
  strncpy(n, (t = "a"), 4);
  if (n[3] == 0) labrys_target("padded");
  char list[] = ",,a,b";
  char *w = strtok(list, ",");
  if (w == list + 2 && list[3] == 0) labrys_target("token");
  w = strtok(0, ",");
  if (w && *w == 'b' && !strtok(0, ",")) labrys_target("token_end");
  char fields[] = "a::b", *rest = fields;
  strsep(&rest, ":");
  if (rest == fields + 2 && *strsep(&rest, ":") == 0) labrys_target("separated");
  char big[8] = "";
  if (snprintf(big, 4, "%s", (t = "abcdef")) == 6 && big[3] == 0) labrys_target("cut");
  if (snprintf(0, 0, "%d", odd) == 3) labrys_target("counted");
  memset(big, odd * 3, 2);
  if ((unsigned char)big[1] == (unsigned char)(('a' + 256) * 3)) labrys_target("memset");
  char over[] = "abcdef";
  memmove(over + 1, over, 4);
  if (over[4] == 'd') labrys_target("memmove");
  if (toupper(minus) == -1) labrys_target("eof");
  if (!isalpha(minus)) labrys_target("no_letter");
  if (toupper(200) == 200) labrys_target("high");
  if (isxdigit('f') && !isalpha(0xe9)) labrys_target("classes");
  if (putchar('a' + 512) == 'a') labrys_target("putchar");
  char *dup = strdup(s);
  dup[0] = 'D';
  if (s[0] == 'x' && dup[0] == 'D') labrys_target("dup");
  char *c = stpcpy(big, "ab");
  *c = 'Z';
  if (big[2] == 'Z') labrys_target("stpcpy");
  char cc[8] = "12345";
  char *mc = memccpy(cc, "a;b", ';', 3);
  *mc = '!';
  if (cc[2] == '!') labrys_target("memccpy");
  if (strnlen("abc", two) == 2) labrys_target("strnlen");
  if (never) labrys_target("control");
  return 0;
}

int main(int argc, char **argv) {
  unsigned char gate;
  labrys_symbolic(&gate, 1, "gate");
  if (gate != 0xa7) return 0;
  return body(argc, argv);
}
