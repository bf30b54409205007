//! Functions with numbers beside pointers that are no lengths; functions that come to what is in front of a
//! pointer.

#![allow(missing_docs)]

mod common;

use common::{all_covered, all_functions, folder};

const CONTEXTS: &str = r#"
#include <stddef.h>
#include <stdlib.h>
typedef int (*write_t)(void *data, const char *bytes, size_t n);
struct packer { void *data; write_t write; };
int pack(struct packer *p, size_t l) {
  char d[3];
  if (!p || !p->write) return -1;
  if (l < 32) { d[0] = (char)(0xa0 | l); return p->write(p->data, d, 1); }
  if (l < 256) { d[0] = (char)0xd9; d[1] = (char)l; return p->write(p->data, d, 2); }
  if (l < 65536) { d[0] = (char)0xda; d[1] = (char)(l >> 8); d[2] = (char)l; return p->write(p->data, d, 3); }
  return -2;
}
struct entry { int key; int value; };
int find(const struct entry *e, size_t n, int key) {
  for (size_t i = 0; i < n; i++) if (e[i].key == key) return e[i].value;
  return -1;
}
int skip(const struct entry *e, size_t n) {
  for (; n; n--, e++) if (e->key == 4) return e->value;
  return -1;
}
static int order(const void *a, const void *b) {
  int one = ((const struct entry *)a)->key, other = ((const struct entry *)b)->key;
  return (one > other) - (one < other);
}
int least(struct entry *e, size_t n) {
  if (!e || !n) return -1;
  qsort(e, n, sizeof *e, order);
  return e->key == 3 ? 1 : 0;
}
"#;

#[test]
fn a_number_behind_a_context_is_no_length() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), CONTEXTS).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "3000");
    all_covered(folder.path(), &told, &["pack", "find", "skip", "least"]);
    let of = |name: &str| {
        let path = format!("out/{name}/tests/test_{name}.c");
        std::fs::read_to_string(folder.path().join(path)).expect("a file")
    };
    let pack = of("pack");
    assert!(pack.contains("  struct packer p = {0};\n"), "{pack}");
    assert!(!told.contains("heap-buffer-overflow"), "{told}");
    for name in ["find", "skip", "least"] {
        let test = of(name);
        assert!(test.contains("struct entry e[4] = {0};"), "{test}");
    }
}

const IN_FRONT: &str = r#"
#include <stddef.h>
struct header { unsigned magic; unsigned flags; size_t size; };
int check(const void *p) {
  if (!p) return -1;
  const struct header *h = (const struct header *)p - 1;
  if (h->magic != 0xfeedbeef) return -2;
  if (h->flags & 1) return -3;
  return h->size > 64 ? 1 : 0;
}
int nine(const char *s) { return s ? ((const struct header *)s)[-1].size == 9 ? 9 : 1 : 0; }
struct vector { unsigned capacity, length; };
int last(const int *v) {
  if (!v) return -1;
  unsigned n = ((const struct vector *)v)[-1].length;
  return n && n < 8 ? v[n - 1] == 5 : 0;
}
"#;

#[test]
fn headers_in_front_of_pointers_are_input() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), IN_FRONT).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "3000");
    all_covered(folder.path(), &told, &["check", "nine", "last"]);
    assert!(!told.contains("failure:"), "{told}");
}
