//! Runs go where their queries say, where nothing is made concrete: functions on strings in blocks
//! that are read at once, so that a longer or a shorter file changes what lies in memory.

#![allow(missing_docs)]

mod common;

use common::Cover;

/// Bodies of programs that read up to 31 bytes into a block of 32 zeros.
const BODIES: [&str; 5] = [
    "if (strcspn(b, \"ab\") == 3) puts(\"3\"); if (strlen(b) == 7) puts(\"7\");",
    "if (strlen(b) == 7) puts(\"7\"); if (memchr(b, 'k', r) == b + 5) puts(\"k\");
     if (strnlen(b, 6) == 6) puts(\"6\");",
    "char *p = strpbrk(b, \"q;\"); if (p && p - b == 4) puts(\"4\");
     if (strspn(b, \"xyz\") == 2) puts(\"2\"); if (strstr(b, \"oo\") == b + 2) puts(\"oo\");",
    "int n = 0; for (char *t = strtok(b, \" ,\"); t; t = strtok(0, \" ,\")) n += strlen(t) > 1;
     if (n == 3) puts(\"three\");",
    "b[r] = 0; char *s = b, *w; int n = 0; while ((w = strsep(&s, \":\"))) n += strlen(w) == 2;
     if (n == 2) puts(\"two\"); if (r > 3 && !strncmp(b + 1, \"hey\", 3)) puts(\"hey\");",
];

#[test]
fn lengths_and_contents_agree() {
    for (body, read) in BODIES
        .iter()
        .zip(["fread(b, 1, 31, stdin)", "read(0, b, 31)"].iter().cycle())
    {
        let text = format!(
            "#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {{
  char b[32] = {{0}};
  long r = {read};
  if (r < 0) return 1;
  {body}
  return 0;
}}
"
        );
        let summary = Cover::text(&text, "--quiet --runs 80").expect(0).0.summary;
        let summary = summary.expect("a summary");
        let causes = &summary.divergence_causes;
        assert_eq!(causes.get("unexplained"), None, "{body}: {causes:?}");
        assert!(summary.concretizations.is_empty(), "{body}");
        assert!(summary.divergences < 8, "{body}: {causes:?}");
    }
}

/// A store at an address of the input makes each pointer of the object one of two; which it is is decided
/// at the same site, however long the file is.
#[test]
fn pointers_that_are_one_of_two_are_decided_at_one_site() {
    const TEXT: &str = "#include <stdio.h>
#include <stdlib.h>
static unsigned char b[64];
static struct { long *slots[4]; unsigned char *next; } o;
int main(void) {
  size_t n = fread(b, 1, sizeof b, stdin);
  if (n < 2) return 1;
  o.next = b;
  int k = (*o.next++ ^ 1) - 2;
  if (k < 0 || k >= 4) return 2;
  o.slots[k] = malloc(sizeof(long));
  for (size_t i = 1; i < 12; i++) {
    if (i == n) { puts(\"short\"); return 4; }
    if (*o.next++ == 'x') puts(\"x\");
  }
  return 0;
}
";
    let options = "--quiet --no-fuzz --strategy generational --runs 300";
    let summary = Cover::text(TEXT, options).expect(0).0.summary;
    let summary = summary.expect("a summary");
    assert_eq!(summary.divergences, 0, "{:?}", summary.divergence_causes);
}

/// Where a structure is copied from or to, the input says: that is made concrete, and counted.
#[test]
fn copies_at_addresses_of_the_input_are_counted() {
    for (body, cause) in [
        ("v[c[0] & 3] = one;", "store-address"),
        ("one = v[c[0] & 3]; v[2] = one;", "load-address"),
    ] {
        let text = format!(
            "#include <stdio.h>
struct text {{ char text[21]; char k; }};
int main(void) {{
  static struct text v[4] = {{{{\"one\", 1}}, {{\"two\", 2}}, {{\"three\", 3}}}}, one;
  int c[2] = {{getchar(), getchar()}};
  one.k = c[1];
  {body}
  if (v[2].k == 'k') puts(\"k\");
  if (v[1].k == 7 && v[2].k < 4) puts(\"7\");
  return c[0] == 'q';
}}
"
        );
        let summary = Cover::text(&text, "--quiet --runs 60").expect(0).0.summary;
        let summary = summary.expect("a summary");
        let causes = &summary.divergence_causes;
        assert_eq!(causes.get("unexplained"), None, "{body}: {causes:?}");
        assert!(summary.concretizations.contains_key(cause), "{body}");
    }
}

/// How much is read next, an earlier byte says: that is fixed and counted, as what is read after it
/// lies elsewhere for another size. What was read is then what was asked for.
#[test]
fn sizes_of_reads_that_the_input_says_are_counted() {
    for (first, read) in [
        ("getchar()", "fread(b, 1, n, stdin)"),
        ("getchar()", "fread(b, n, 2, stdin) * n / 2"),
        ("getchar()", "fread_unlocked(b, 1, n, stdin)"),
        // The product wraps around.
        ("getchar()", "fread(b, (1UL << 63) + 1, 2 * n, stdin) / 2"),
        ("(read(0, b, 1), b[0])", "read(0, b, n)"),
    ] {
        let text = format!(
            "#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>
int main(void) {{
  static unsigned char b[600];
  size_t n = {first} & 0xff;
  if ({read} != n) return 1;
  if (n == 6 && b[5] == 'x') puts(\"six\");
  if (n > 20) puts(\"long\");
  return getchar() == 'q';
}}
"
        );
        let summary = Cover::text(&text, "--quiet --runs 60 --no-fuzz")
            .expect(0)
            .0
            .summary;
        let summary = summary.expect("a summary");
        let causes = &summary.divergence_causes;
        assert_eq!(causes.get("unexplained"), None, "{read}: {causes:?}");
        let counted = summary.concretizations.contains_key("library-argument");
        assert!(counted, "{read}: {:?}", summary.concretizations);
        assert_eq!(summary.branches.covered, summary.branches.total, "{read}");
    }
}

/// Where a function of the library reads or writes, an earlier byte says: that is fixed and counted.
#[test]
fn places_that_the_input_says_are_counted() {
    for call in [
        "fgets(b + n, 4, stdin) != 0",
        "fread(b + n, 1, 4, stdin) == 4",
        "strcmp(b + n, \"x\")",
        "memcmp(b + n, b, 600)",
    ] {
        let text = format!(
            "#include <stdio.h>
#include <string.h>
int main(void) {{
  static char b[700];
  size_t n = getchar() & 7;
  if ({call}) puts(\"yes\");
  return b[5] == 'x';
}}
"
        );
        let cover = Cover::text(&text, "--quiet --runs 40 --no-fuzz");
        let summary = cover.expect(0).0.summary.expect("a summary");
        let causes = &summary.divergence_causes;
        assert_eq!(causes.get("unexplained"), None, "{call}: {causes:?}");
        let counted = summary.concretizations.contains_key("library-argument");
        assert!(counted, "{call}: {:?}", summary.concretizations);
    }
}
