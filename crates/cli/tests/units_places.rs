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

const REGISTERS: &str = r#"
#include <stdint.h>
typedef struct { volatile uint32_t CR, SR, DR; } usart;
typedef struct { volatile uint32_t MODE, TYPE, IN, OUT; } port;
#define USART1 ((usart *)0x40011000u)
#define CLOCK (*(volatile uint32_t *)0x40023800u)
#define LEVEL (*(uint16_t *)0x50000104u)
#define FLAG (*(volatile uint8_t *)0x50000200u)
static port *const ports[] = {(port *)0x48000000u, (port *)0x48000400u};
int clock_on(void) {
  CLOCK |= 1;
  for (int i = 0; i < 50; i++) if (CLOCK & 2) return 0;
  return -1;
}
int get(void) {
  if (!(USART1->SR & 0x20)) return -1;
  uint32_t data = USART1->DR & 0x1ff;
  if (data == 0x55) { USART1->CR |= 4; return 1; }
  return data > 0x80 ? 2 : 3;
}
static int wait_on(usart *u, uint32_t bit) { return u->SR & bit ? 1 : 0; }
int ready(void) { return wait_on(USART1, 0x80) + 1 == 2 ? 5 : 6; }
int level(void) { if (LEVEL == 0x1234) return 1; return FLAG == 7 ? 2 : 3; }
int read_pin(unsigned at, unsigned n) {
  if (at > 1 || n > 15) return -1;
  return ports[at]->IN >> n & 1 ? 1 : 0;
}
void set_pin(unsigned at, unsigned n, int on) {
  if (at > 1 || n > 15) return;
  if (on) ports[at]->OUT |= 1u << n; else ports[at]->OUT &= ~(1u << n);
}
static uint32_t io_read(uintptr_t at) { return *(volatile uint32_t *)at; }
static void io_write(uintptr_t at, uint32_t v) { *(volatile uint32_t *)at = v; }
static void io_set(uintptr_t at, uint32_t v) { io_write(at, io_read(at) | v); }
int put(unsigned c) {
  int spins = 0;
  while (io_read(0x1c090018) & 0x20) if (++spins > 20) return -1;
  io_write(0x1c090000, c);
  if (io_read(0x1c090004) & 0xf) return -2;
  io_set(0x1c090030, 1);
  return 0;
}
void *claimed(void *p) { return p == (void *)0x20000000 ? 0 : p; }
"#;

/// Memory at fixed addresses is what devices have there: inputs, which tests write where they are.
#[test]
fn fixed_addresses_are_registers() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), REGISTERS).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "3000");
    let names = [
        "clock_on", "get", "ready", "level", "read_pin", "set_pin", "put",
    ];
    all_covered(folder.path(), &told, &names);
    let tests = |name: &str| {
        let path = format!("out/{name}/tests/test_{name}.c");
        std::fs::read_to_string(folder.path().join(path)).expect("a file")
    };
    let clock = tests("clock_on");
    assert!(clock.contains("CHECK(register_40023800 == 3u);"), "{clock}");
    // The structure is that of the parameter: three registers.
    let get = tests("get");
    assert!(get.contains("register_40011000[2] = 85u;"), "{get}");
    assert!(!get.contains("register_40011000[3]"), "{get}");
    let put = tests("put");
    assert!(
        put.contains("#define register_1c090030 (*(volatile unsigned int *)"),
        "{put}"
    );
    // What is only compared is no register.
    assert!(!tests("claimed").contains("register_"));
}
