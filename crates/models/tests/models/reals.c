/* scanf of floating-point numbers: what is stored, taken and left in a FILE. */
static void scanning_reals(void) {
  static const char *const FORMATS[] = {"%lf", "%f", "%lf%n", "%lf%c", "%f%1s", "%3lf%lf", "%lg,%le",
      "%1f%lf", "%2lf%n", "%*lf%lf", " %f %lf", "%5le%n", "%a%n", "%4f%c", "%7lf%n"};
  static const char *const EDGES[] = {"", " ", "-", "+", ".", "-.", "+.5", "5.", ".5", "1e", "1e+",
      "1e-x", "1e5", "-1.5e-3x", "0x", "0x1p3", "0x.8p-1", "0xg", "-0x1.8", "nan", "NaN(1)", "na",
      "nax", "inf", "infinity", "infinit", "infx", "-inf", "-nan", "1e400", "1e-400", "e5", "--1",
      "9007199254740993", "123456789012345678901234567890", "0.1", "00.25", "1.2.3", "1e5.5", "0e",
      "1,5", "16777217", "3.4e39", "0x1p", "0x1.p+2", "1.7976931348623157e308",
      "0000000000000000000000000000000000000000000000000000000000000000000000000001.5"};
  char a[100];
  unsigned pick = random_below(2 * sizeof EDGES / sizeof *EDGES);
  if (pick < sizeof EDGES / sizeof *EDGES)
    strcpy(a, EDGES[pick]);
  else
    text(a, 12, random_below(2) ? "0123456789." : "0123456789..e-+ ,xnifap");
  const char *f = FORMATS[random_below(sizeof FORMATS / sizeof *FORMATS)];
  double x[3], y[3];
  memset(x, 7, sizeof x), memset(y, 7, sizeof y);
  int p = MODEL(sscanf)(a, f, &x[0], &x[1], &x[2]), q = sscanf(a, f, &y[0], &y[1], &y[2]);
  CHECK("sscanf", p == q && !memcmp(x, y, sizeof x), "'%s' '%s': %d %d, %.17g %.17g", a, f, p, q, x[0], y[0]);
  if (!*a) return;
  FILE *m = fmemopen(a, strlen(a), "r"), *n = fmemopen(a, strlen(a), "r");
  memset(x, 7, sizeof x), memset(y, 7, sizeof y);
  p = MODEL(fscanf)(m, f, &x[0], &x[1], &x[2]), q = fscanf(n, f, &y[0], &y[1], &y[2]);
  CHECK("fscanf", p == q && !memcmp(x, y, sizeof x) && ftell(m) == ftell(n),
        "'%s' '%s': %d %d, %.17g %.17g, at %ld %ld", a, f, p, q, x[0], y[0], ftell(m), ftell(n));
  fclose(m), fclose(n);
}
