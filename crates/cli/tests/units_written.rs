//! Tests that are written for functions: they hold in any build, optimized or not, and compile whatever
//! the function and its parameters are. Lengths belong to the arrays that they are of.

#![allow(missing_docs)]

mod common;

use common::{all_covered, all_functions, folder, tests_pass};

const SOURCE: &str = r#"
#include <stddef.h>
#include <stdlib.h>
struct pair { int a, b; };
union value { int i; unsigned char c[4]; };
struct bits { unsigned a : 3, b : 5; };
struct range { const int low; int high; };
struct context { int depth; };
/* What nobody writes is copied out. */
void set(struct pair *p) { struct pair t; if (!p) return; t.a = 1; *p = t; }
/* What nobody writes is read from a fresh block. */
int fresh(int n) {
  unsigned char *p = malloc(64);
  if (!p) return -1;
  int first = p[40];
  free(p);
  return n > 3 ? first : -2;
}
int last(union value v) { return v.c[3] == 7 ? 1 : 0; }
int both(struct bits x) { return x.a == 5 && x.b > 3; }
int result(int x) { return x > 4 ? 1 : 0; }
int inside(struct range *r) { if (!r) return -1; return r->low == 3 && r->high > 9; }
/* A compiler may leave out the allocation, with its failure. */
int fits(size_t n) { char *p = malloc(n); if (!p) return -1; free(p); return 0; }
/* The length is that of the text, not of the context before it. */
int count(struct context *c, const char *s, size_t len) {
  int n = 0;
  if (!c || !s) return -1;
  for (size_t i = 0; i < len; i++) {
    if (s[i] == '(') n++;
    if (n == 5) return c->depth;
  }
  return 0;
}
/* Rows: as many as are named. */
int corner(int m[2][3]) { if (!m) return -1; return m[1][2] == 5 ? 1 : 0; }
/* The number is no length of the buffer, whose own length has a place behind it. */
int put(char **buf, size_t *buflen, unsigned len) {
  if (!buf || !buflen || !*buf || !*buflen) return -1;
  if (len < 0x20) { *(*buf)++ = (char)len; (*buflen)--; return 1; }
  if (len < 0x100) { (*buflen)--; return 2; }
  if (len < 0x10000) return 3;
  return 4;
}
"#;

#[test]
fn written_tests_hold_in_any_build() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), SOURCE).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "6000");
    let names = [
        "fresh", "last", "both", "result", "inside", "fits", "count", "corner", "put",
    ];
    all_covered(folder.path(), &told, &names);
    tests_pass(&folder.path().join("out/set/tests/test_set.c"));
    let set = std::fs::read_to_string(folder.path().join("out/set/tests/test_set.c"));
    let set = set.expect("tests");
    assert!(
        set.contains("CHECK(p.a == 1)") && !set.contains("CHECK(p.b"),
        "{set}"
    );
}
