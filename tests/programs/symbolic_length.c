/* Comparisons and searches whose length is input, and 0 in the first run. */
#include <labrys.h>
#include <string.h>

int main(void) {
  unsigned char n, which;
  char text[6];
  labrys_symbolic(&n, 1, "n");
  labrys_symbolic(&which, 1, "which");
  labrys_symbolic(text, sizeof text, "text");
  labrys_assume(n <= sizeof text);
  switch (which) {
  case 0:
    if (memchr(text, 'x', n)) labrys_target("found");
    break;
  case 1:
    if (memcmp(text, "abcdef", n) != 0) labrys_target("differs");
    else if (n > 3) labrys_target("equal");
    break;
  case 2:
    if (strncmp(text, "abcdef", n) < 0) labrys_target("less");
    break;
  case 3:
    /* Known bytes, an unknown number of them. */
    if (memchr("hello", 'l', n)) labrys_target("reaches-l");
    break;
  }
}
