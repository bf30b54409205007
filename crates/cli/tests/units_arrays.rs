//! Functions whose arrays are as long as the code takes them for: several that one number counts, those
//! that an empty element ends, those whose loops or places have a constant bound.

#![allow(missing_docs)]

mod common;

use common::{all_covered, all_functions, folder};

const COUNTED: &str = r#"
#include <stddef.h>
#include <string.h>
struct dict { int n; size_t size; char **val; char **key; unsigned *hash; };
int get(const struct dict *d, const char *key) {
  if (!d || !key || !d->key || !d->hash) return -1;
  for (size_t i = 0; i < d->size; i++)
    if (d->key[i] && !strcmp(key, d->key[i])) return d->hash[i] == 7;
  return -2;
}
int both(const struct dict *d) {
  int n = 0;
  if (!d || !d->key || !d->val) return -1;
  for (unsigned i = 0; i < d->size; i++) if (d->key[i] && d->val[i]) n++;
  return n == 2;
}
struct columns { unsigned rows; int *left; int *right; short *sum; };
int large(const struct columns *c) {
  unsigned i;
  if (!c || !c->left || !c->right || !c->sum) return -1;
  for (i = 0; i < c->rows; i++) if (c->left[i] + c->right[i] != c->sum[i]) return 0;
  return i > 1000 ? 2 : 1;
}
"#;

#[test]
fn one_number_counts_the_elements_of_several_arrays() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), COUNTED).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "4000");
    all_covered(folder.path(), &told, &["get", "both", "large"]);
    assert!(!told.contains("failure:"), "{told}");
    let test = folder.path().join("out/large/tests/test_large.c");
    let test = std::fs::read_to_string(test).expect("a file");
    // Where one has room, all have.
    for array in [
        "int c_left[65544]",
        "int c_right[65544]",
        "short c_sum[131080]",
    ] {
        assert!(test.contains(array), "{array} is not in\n{test}");
    }
}

const ENDED: &str = r#"
#include <stddef.h>
#include <string.h>
struct option { const char *name; int value; };
struct command { char **words; struct option *options; };
int count(char **argv) {
  int n = 0;
  if (!argv) return -1;
  while (argv[n]) n++;
  return n == 3 ? 1 : 0;
}
int find(const struct option *options) {
  if (!options) return -1;
  for (; options->name; options++)
    if (options->value == 7) return strcmp(options->name, "seven") == 0 ? 1 : 2;
  return 0;
}
int has(const struct command *c) {
  if (!c || !c->words || !c->options) return -1;
  for (char **word = c->words; *word; word++)
    for (struct option *o = c->options; o->name; o++)
      if (!strcmp(*word, o->name)) return o->value > 2;
  return -2;
}
int all(char **argv) {
  if (!argv || !argv[0] || !argv[1] || !argv[2] || !argv[3]) return -1;
  return argv[4] ? 5 : 4;
}
struct point { int x, y; };
int line(const struct point *p) {
  int n = 0;
  if (!p) return -1;
  for (int i = 0; i < 5; i++) n += p[i].x;
  return n == 9 && p[4].y == 3;
}
"#;

#[test]
fn an_empty_element_ends_an_array_without_a_length() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), ENDED).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "4000");
    all_covered(
        folder.path(),
        &told,
        &["count", "find", "has", "all", "line"],
    );
    assert!(!told.contains("failure:"), "{told}");
    let test = folder.path().join("out/count/tests/test_count.c");
    let test = std::fs::read_to_string(test).expect("a file");
    assert!(test.contains("  char *argv[5] = {0};\n"), "{test}");
}

const NAMED: &str = r#"
static const char hex[] = "0123456789ABCDEF";
static void put(char *b, int at, unsigned id, int n) {
  for (int i = n - 1; i >= 0; i--) { b[at + i] = hex[id & 15]; id >>= 4; }
}
int print(char *buf, unsigned id) {
  int o;
  if (!buf) return -1;
  if (id & 0x80000000u) { put(buf, 0, id, 8); buf[8] = '#'; o = 9; }
  else { put(buf, 0, id, 3); buf[3] = '#'; o = 4; }
  buf[o] = 0;
  return o;
}
int is_zero(const unsigned char *key) {
  int i;
  if (!key) return -1;
  for (i = 0; i < 32; i++) if (key[i]) return 0;
  return 1;
}
int sum(const unsigned *block, unsigned short *digest) {
  unsigned n = 0;
  if (!block || !digest) return -1;
  for (int i = 0; i < 80; i++) n += block[i];
  for (int i = 0; i <= 20; i++) digest[i] = (unsigned short)n;
  return n == 77;
}
int nibble(const unsigned char *table, unsigned x) { return table ? table[x & 63] == 9 : -1; }
"#;

#[test]
fn an_array_has_the_elements_that_loops_and_places_name() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), NAMED).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "4000");
    all_covered(folder.path(), &told, &["print", "is_zero", "sum", "nibble"]);
    // A caller of `put` alone may name any place.
    let failed = |line: &&str| line.starts_with("failure:") && !line.contains("lib.c:4:");
    assert_eq!(told.lines().find(failed), None);
}
