//! Functions with numbers beside pointers that are no lengths, or that are places in rings; functions that come to what is in front of a pointer, or far behind it.

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

const FAR_BEHIND: &str = r#"
#include <stddef.h>
#include <string.h>
struct page { const unsigned char *header; long header_len; const unsigned char *body; long body_len; };
int segments(const struct page *p) {
  if (!p || !p->header) return -1;
  if (memcmp(p->header, "OggS", 4)) return -2;
  int n = p->header[26], count = 0;
  if (n > 4) return -3;
  for (int i = 0; i < n; i++) if (p->header[27 + i] < 255) count++;
  return count == 2;
}
struct device { const unsigned char *registers; int irq; };
int ready(const struct device *d) {
  if (!d || !d->registers) return -1;
  return d->registers[0x14] & 0x80 ? d->registers[0x15] == 3 : -2;
}
"#;

#[test]
fn arrays_behind_members_are_as_long_as_the_code_looks_for() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), FAR_BEHIND).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "3000");
    all_covered(folder.path(), &told, &["segments", "ready"]);
    assert!(!told.contains("failure:"), "{told}");
}

const RINGS: &str = r#"
#include <stddef.h>
struct ring { unsigned char *buf; size_t size, head, tail; };
int put(struct ring *r, unsigned char c) {
  if (!r || !r->buf) return -2;
  size_t next = r->head + 1;
  if (next == r->size) next = 0;
  if (next == r->tail) return -1;
  r->buf[r->head] = c;
  r->head = next;
  return 0;
}
int get(struct ring *r) {
  if (!r || !r->buf || r->tail == r->head) return -1;
  int c = r->buf[r->tail];
  r->tail++;
  if (r->tail == r->size) r->tail = 0;
  return c == 10 ? 1 : 0;
}
int newline(const struct ring *r) {
  if (!r || !r->buf || r->size < 2) return -2;
  for (size_t at = r->tail; at != r->head;) {
    if (r->buf[at] == 10) return 1;
    if (++at == r->size) at = 0;
  }
  return 0;
}
struct queue { int *items; unsigned short cap, first, count; };
int pop(struct queue *q) {
  if (!q || !q->items || !q->cap || !q->count) return -1;
  int v = q->items[q->first];
  q->first = (unsigned short)((q->first + 1) % q->cap);
  q->count--;
  return v == 3 ? 1 : 0;
}
struct stack { int *v; unsigned n, cap; };
int push(struct stack *s) {
  if (!s || !s->v) return -1;
  if (s->n >= s->cap) return 1;
  s->v[s->n++] = 1;
  return s->n == s->cap ? 2 : 0;
}
struct state { unsigned at; int v[4]; };
int step(struct state *s) {
  if (!s) return -1;
  int v = s->v[s->at];
  s->at = (s->at + 1) & 3;
  return v == 5 ? 1 : 0;
}
"#;

#[test]
fn places_in_rings_are_less_than_where_they_begin_anew() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), RINGS).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "9000");
    let names = ["put", "get", "newline", "pop", "push", "step"];
    all_covered(folder.path(), &told, &names);
    assert!(!told.contains("failure:"), "{told}");
    let driver = folder.path().join("out/driver.c");
    let driver = std::fs::read_to_string(driver).expect("a file");
    for assumed in [
        // Of a ring by comparison, of one by division, of an array in the structure.
        "labrys_assume((*(unsigned long *)(o0 + 24) < *(unsigned long *)(o0 + 8)) | (*(unsigned long *)(o0 + 24) == 0));",
        "labrys_assume((*(unsigned short *)(o0 + 10) < *(unsigned short *)(o0 + 8)) | (*(unsigned short *)(o0 + 10) == 0));",
        "labrys_assume(*(unsigned int *)(o0) <= 3);",
    ] {
        assert!(driver.contains(assumed), "{assumed} is not in\n{driver}");
    }
    // A stack may be full.
    let full = "labrys_assume((*(unsigned int *)(o0 + 8) < *(unsigned int *)(o0 + 12))";
    assert!(!driver.contains(full), "{driver}");
}
