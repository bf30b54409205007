/* Formats: what is printed without a label is counted, each time; what lies beside a time is not. */
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct {
  time_t changed;
  char name[32];
} file;

int main(void) {
  char line[64], out[64];
  if (!fgets(line, 32, stdin)) return 1;
  double real = line[0];
  snprintf(out, sizeof out, "%ls %d", L"x", line[0]);
  if (out[2] == '7') puts("a field that is not followed");
  snprintf(out, sizeof out, "%1$s", line);
  if (out[0] == '7') puts("a numbered field");
  snprintf(out, sizeof out, "%f", real);
  if (out[0] == '7') puts("a real number");
  snprintf(out, sizeof out, "%ls %.1f %d", L"x", 1.5, 7);
  if (out[0] == '7') puts("nothing of the input");
  snprintf(out, sizeof out, line + 3, 7);
  if (out[0] == '7') puts("a format that is input");
  int n = 0;
  if (sscanf("7 8", line + 3, &n) == 1 && n == 7) puts("and one for numbers");
  strcpy(file.name, line);
  struct tm *day = localtime(&file.changed);
  if (day && day->tm_year == 7) puts("beside a time");
  return 0;
}
