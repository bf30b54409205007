//! Functions that make addresses of numbers: parameters, members, variables, and constants from which they
//! compute.

#![allow(missing_docs)]

mod common;

use common::{all_covered, all_functions, folder};

const BLOCKS: &str = r#"
#include <stdint.h>
#include <stddef.h>
uint32_t mmio_read(uintptr_t addr) { return *(volatile uint32_t *)addr; }
void mmio_write(uint32_t v, unsigned long a) { *(volatile uint32_t *)a = v; }
struct device { uintptr_t base; int shift; unsigned flags; };
int receive(struct device *d) {
  if (!d) return -1;
  if (!(mmio_read(d->base + 4) & 0x20)) return -2;
  uint32_t c = mmio_read(d->base + 8) & 0xff;
  if (c == 0x55) { mmio_write(1, d->base); return -3; }
  return c > 0x80 ? 1 : 0;
}
static uintptr_t uart_base;
void begin(uintptr_t base) { uart_base = base; mmio_write(3, base + 0x30); }
int poll(void) {
  if (!uart_base) return -1;
  uint32_t s = *(volatile uint32_t *)(uart_base + 0x18);
  if (s & 0x10) return 0;
  return s & 8 ? 1 : 2;
}
#define REGISTER(x) (*((volatile uint32_t *)(uintptr_t)(x)))
int fifo(uint32_t base, uint32_t mask) {
  if (REGISTER(base + 0x18) & 0x20) return -1;
  if (REGISTER(base + 0x40) & mask) { REGISTER(base + 0x44) = mask; return 1; }
  return 0;
}
struct port { uint32_t base; uint8_t pins; };
int pin(const struct port *p, unsigned n) {
  if (n >= p->pins) return -1;
  return REGISTER(p->base + (4 << 2)) >> (n & 31) & 1 ? 1 : 0;
}
typedef struct { volatile uint32_t CR, SR, DR; uint32_t pad[5]; volatile uint8_t id; } spi;
struct bus { uintptr_t regs; const char *name; };
int transfer(struct bus *b) {
  spi *r = (spi *)b->regs;
  if (r->SR & 1) return (int)(r->DR & 0xff);
  return r->id == 7 ? -2 : -1;
}
struct driver { struct driver *next; uint64_t regs; uint32_t shift; };
static uint32_t shifted(const struct driver *d, uint32_t at) {
  return *(volatile uint32_t *)(uintptr_t)(d->regs + ((uint64_t)at << d->shift));
}
int state(struct driver *d) {
  if (!d) return -1;
  if (!d->regs) return -2;
  if (d->shift > 2) return -3;
  if (shifted(d, 3) == 0xdead) return 1;
  return shifted(d, 5) & 0x100 ? 2 : 3;
}
int channel(uintptr_t base, unsigned ch, uint32_t reg) {
  if (ch > 3) return -1;
  if (*(volatile uint32_t *)(base + 0x40 * ch + 0xc) & 4) return 1;
  return *(volatile uint32_t *)(base + reg) == 0x1234 ? 2 : 3;
}
int aligned(uintptr_t p) {
  if (p & 3) return -1;
  return *(uint32_t *)p == 12345 ? 1 : 0;
}
int tagged(uintptr_t v) {
  if (v & 1) return (int)(v >> 1) == 77 ? 1 : 2;
  return *(int *)v == 3 ? 3 : 4;
}
static uintptr_t next(uintptr_t a) { return a + 4; }
int is_high(uintptr_t base) {
  if (next(base) < 0x1000) return -1;
  return *(volatile int *)base == 5 ? 1 : 0;
}
uintptr_t behind(uintptr_t base) { return *(volatile int *)base ? base + 4 : 0; }
void *kept(uintptr_t user) { return user > 5 ? (void *)user : 0; }
"#;

/// Each such number is the address of a block that is input, low where the number has 32 bits.
#[test]
fn numbers_that_are_addresses_get_blocks() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), BLOCKS).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "3000");
    let names = [
        "receive", "poll", "fifo", "pin", "transfer", "state", "channel", "aligned", "tagged",
        "is_high", "behind", "kept",
    ];
    all_covered(folder.path(), &told, &names);
    assert!(!told.contains("failure:"), "{told}");
    let tests = |name: &str| {
        let path = format!("out/{name}/tests/test_{name}.c");
        std::fs::read_to_string(folder.path().join(path)).expect("a file")
    };
    let receive = tests("receive");
    assert!(
        receive.contains("d.base = (unsigned long)d_base;"),
        "{receive}"
    );
    assert!(tests("poll").contains("uart_base = (unsigned long)0;"));
    let fifo = tests("fifo");
    assert!(fifo.contains("unsigned int *base = unit_low("), "{fifo}");
    let call = "fifo((unsigned int)(unsigned long)base, ";
    assert!(fifo.contains(call), "{fifo}");
    assert!(tests("transfer").contains("b_regs.SR = "));
    // A number that is only kept is none.
    assert!(!tests("kept").contains("(unsigned long)"));
}

const COMPUTED: &str = r#"
#include <stdint.h>
#define REGISTER(x) (*((volatile uint32_t *)(uintptr_t)(x)))
#define SHORT(n) (0x40000000u + 0x400u * (n))
#define LONG(n) (0x50000000ul + 0x400ul * (n))
int timer(unsigned n) {
  if (n > 3) return -1;
  if (REGISTER(SHORT(n) + 0x10) & 1) return 1;
  return REGISTER(SHORT(n) + 0x24) > 100 ? 2 : 3;
}
int counter(unsigned n) {
  if (n > 3) return -1;
  if (REGISTER(LONG(n) + 0x10) & 1) return 1;
  return REGISTER(LONG(n) + 0x24) > 100 ? 2 : 3;
}
static uint32_t get(uint32_t a) { return REGISTER(a); }
int status(void) {
  if (get(0x48000000u + 0x10) & 2) return 1;
  return get(0x48000014u) == 9 ? 2 : 3;
}
static const uint32_t bases[] = {0x4000c000u, 0x4000d000u};
int by_table(unsigned i) {
  if (i > 1) return -1;
  return REGISTER(bases[i] + 0x18) & 0x10 ? 1 : 0;
}
typedef struct { volatile uint32_t control, status; volatile uint32_t data[4]; } device;
struct setup { uintptr_t base; int irq; const char *name; };
static const struct setup setups[] = {{0x4a000000ul, 3, "a"}, {0x4a010000ul, 4, "b"}};
int by_setup(unsigned id) {
  if (id >= 2) return -1;
  device *d = (device *)setups[id].base;
  if (d->status & 2) return setups[id].irq;
  d->control = 5;
  return 0;
}
int is_on(uint32_t periph) {
  volatile uint32_t *r = &REGISTER(0x400FE800u + ((periph & 0xff00) >> 8) * 4);
  return (*r >> (periph & 7)) & 1 ? 1 : 0;
}
"#;

/// Registers at addresses that the code computes from constants are inputs, too. What finds them is no
/// branch of the program.
#[test]
fn registers_at_computed_addresses_are_inputs() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), COMPUTED).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "3000");
    let names = [
        "timer", "counter", "status", "by_table", "by_setup", "is_on",
    ];
    all_covered(folder.path(), &told, &names);
    assert!(!told.contains("failure:"), "{told}");
    let branches = |name: &str| {
        let mut lines = told.lines().filter(|line| line.starts_with(name));
        lines.next().expect("the function").to_owned()
    };
    assert!(branches("get ").contains("0 of 0"), "{told}");
    assert!(branches("by_table ").contains("4 of 4"), "{told}");
    let path = folder.path().join("out/timer/tests/test_timer.c");
    let tests = std::fs::read_to_string(path).expect("a file");
    assert!(tests.contains("register_40000000[260] = "), "{tests}");
}

const DRIVER: &str = r#"
#include <stdint.h>
#include <stddef.h>
struct udevice { const char *name; void *private; };
void *device_plat(const struct udevice *dev);
void *device_priv(const struct udevice *dev);
uintptr_t device_address(const struct udevice *dev);
#define REGISTER(x) (*((volatile uint32_t *)(x)))
struct plat { uintptr_t base; };
struct uart { volatile uint32_t control, status, data; };
struct uart_plat { struct uart *regs; };
int count(struct udevice *dev) {
  struct plat *plat = device_plat(dev);
  uint32_t now = REGISTER(plat->base + 4);
  return now > 100 ? 1 : 0;
}
int probe(struct udevice *dev) {
  struct plat *plat = device_plat(dev);
  plat->base = device_address(dev);
  if (!plat->base) return -1;
  if (REGISTER(plat->base + 8) & 1) return -2;
  REGISTER(plat->base) = 3;
  return 0;
}
int receive(struct udevice *dev) {
  struct uart_plat *plat = device_priv(dev);
  if (!(plat->regs->status & 1)) return -1;
  return plat->regs->data & 0x100 ? 1 : 0;
}
struct port_plat { char *regs; int irq; };
int lines(struct udevice *dev) {
  struct port_plat *plat = device_priv(dev);
  return REGISTER(plat->regs + 0x44) & 4 ? 1 : 0;
}
static inline uintptr_t read_address(const struct udevice *dev) { return device_address(dev); }
int bind(struct udevice *dev) {
  struct plat *plat = device_plat(dev);
  plat->base = read_address(dev);
  if (!plat->base) return -1;
  return 0;
}
struct timer { int left; };
int tick(void *context) {
  struct timer *t = context;
  if (t->left == 7) return 1;
  return t->left > 70000 ? 2 : 0;
}
struct port { uintptr_t base; int irq; char *name; };
int attach(struct port *p, uintptr_t base) {
  if (!p) return -1;
  p->base = base;
  p->irq = 3;
  if (REGISTER(p->base + 0x10) == 0x55) return 1;
  return 0;
}
"#;

/// What functions that are missing answer is what local variables say that it is, and addresses go through
/// members.
#[test]
fn a_missing_function_answers_a_structure_or_an_address() {
    let folder = folder();
    std::fs::write(folder.path().join("lib.c"), DRIVER).expect("a file");
    let told = all_functions(folder.path(), &["lib.c"], "3000");
    let names = [
        "count", "probe", "receive", "lines", "bind", "tick", "attach",
    ];
    all_covered(folder.path(), &told, &names);
    let path = folder.path().join("out/probe/tests/test_probe.c");
    let tests = std::fs::read_to_string(path).expect("a file");
    let answer = "double_of_device_address_results[0] = (unsigned long)";
    assert!(tests.contains(answer), "{tests}");
    let path = folder.path().join("out/attach/tests/test_attach.c");
    let tests = std::fs::read_to_string(path).expect("a file");
    assert!(tests.contains(", (unsigned long)base);"), "{tests}");
}
