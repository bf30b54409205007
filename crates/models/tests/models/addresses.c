/* Addresses of the Internet in text. */
static void addresses(void) {
  static const char *const EDGES[] = {"1.2.3.4", "255.255.255.255", "256.1.1.1", "0.0.0.0", "00.1.1.1",
      "1.02.3.4", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3.4", "1..2.3", "1.2.3.4 ", " 1.2.3.4", "999.0.0.1",
      "1000.1.1.1", "1.2.3.4x", "", "10.0.0.260"};
  char a[20];
  byte x[4] = "###", y[4] = "###";
  unsigned pick = random_below(2 * sizeof EDGES / sizeof *EDGES);
  if (pick < sizeof EDGES / sizeof *EDGES)
    strcpy(a, EDGES[pick]);
  else
    text(a, 15, "0122.5.3.");
  int p = MODEL(inet_pton)(AF_INET, a, x), q = inet_pton(AF_INET, a, y);
  CHECK("inet_pton", p == q && !memcmp(x, y, sizeof x), "'%s': %d %d", a, p, q);
  SAME("inet_pton", MODEL(inet_pton)(-1, a, x), inet_pton(-1, a, y), "'%s'", a);
}
