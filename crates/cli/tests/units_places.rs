//! Functions whose pointers may point into a variable of the program, and functions that look at
//! variables of a thread.

#![allow(missing_docs)]

mod common;

use common::{all_covered, all_functions, folder};

const POOL: &str = r#"
#include <stddef.h>
static unsigned char pool[4][16];
static unsigned used;
int give(void *p) {
  ptrdiff_t at = (unsigned char *)p - &pool[0][0];
  if (at < 0 || at >= (ptrdiff_t)sizeof pool || at % 16) return -1;
  if (!(used & 1u << (at / 16))) return -2;
  used &= ~(1u << (at / 16));
  return 0;
}
struct block { struct block *next; int kind; };
static struct block blocks[4];
int owns(struct block *b) {
  if (b < blocks || b >= blocks + 4) return 0;
  return b->kind == 7 ? 2 : 1;
}
struct block *take(int i) { return i >= 0 && i < 4 && !blocks[i].kind ? &blocks[i] : 0; }
void free_all(void) { for (int i = 0; i < 4; i++) blocks[i].kind = i; }
struct node { struct node *left, *right; int key; };
static struct node nil;
int depth(const struct node *n) {
  int depth = 0;
  if (!n) return -1;
  while (n != &nil && depth < 2) { n = n->right; if (!n) return -2; depth++; }
  return n == &nil && depth == 1 ? 1 : 0;
}
struct node *none(void) { return &nil; }
static _Thread_local int error;
int is_error(void) { return error == 5 ? 1 : 0; }
void set_error(int e) { error = e; }
"#;

#[test]
fn pointers_may_point_into_variables_and_those_of_threads_are_inputs() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), POOL).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "6000");
    all_covered(
        folder.path(),
        &told,
        &["give", "owns", "depth", "is_error", "set_error"],
    );
    assert!(!told.contains("failure:"), "{told}");
    let has = |name: &str, text: &str| {
        let path = format!("out/{name}/tests/test_{name}.c");
        let tests = std::fs::read_to_string(folder.path().join(path)).expect("a file");
        assert!(tests.contains(text), "{text} is not in\n{tests}");
    };
    has("give", "give((void *)&pool[0])");
    has("give", "give((void *)((char *)&pool + 17))");
    has("owns", "owns((void *)&blocks[");
    has("depth", "(void *)&nil");
    has("is_error", "  error = 5;\n");
}

const DISTANCES: &str = r#"
#include <stdint.h>
#include <stddef.h>
int length(unsigned char **p, const unsigned char *end) {
  int n;
  if (!p || !*p || !end) return -1;
  if (end - *p < 1) return -2;
  if (!(**p & 0x80)) { n = *(*p)++; }
  else if ((**p & 0x7f) == 1) {
    if (end - *p < 2) return -3;
    n = (*p)[1];
    *p += 2;
  } else {
    if (end - *p < 3) return -4;
    n = (*p)[1] << 8 | (*p)[2];
    *p += 3;
  }
  return n > end - *p ? -5 : n;
}
int is_third(const char *s) { return s && ((uintptr_t)s & 7) == 3 ? 1 : 0; }
int width(const void *key, size_t n) {
  uintptr_t at = (uintptr_t)key;
  if (!key || n < 4) return 0;
  if ((at & 3) == 0) return 4;
  if ((at & 1) == 0) return 2;
  return 1;
}
"#;

#[test]
fn pointers_are_a_little_apart_and_not_aligned() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), DISTANCES).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "2000");
    all_covered(folder.path(), &told, &["length", "width", "is_third"]);
    assert!(!told.contains("failure:"), "{told}");
    let test = folder.path().join("out/width/tests/test_width.c");
    let test = std::fs::read_to_string(test).expect("a file");
    let aligned = "unsigned char key[16] __attribute__((aligned(16))) = {";
    assert!(test.contains(aligned), "{test}");
    assert!(test.contains("width((void *)((char *)key + 1), "), "{test}");
}
