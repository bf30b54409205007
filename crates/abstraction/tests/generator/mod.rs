//! Small C programs that are drawn: state machines over structures, unions, tables, pointers into
//! them, floats, functions that are called through pointers or call themselves.
//!
//! Programs ask for two bytes, so that all runs can be tried, or for a byte in each round of a loop.
//! Indices are masked, so that no access leaves its object. `LABRYS_GENERATED=N` draws more
//! programs, `LABRYS_GENERATED_FIRST=N` others.

use std::fmt::Write as _;
use std::process::Command;

use labrys_llvm::Module;
use labrys_lower::lower;
use labrys_program::Program;

/// Statements within statements.
const DEPTH: u32 = 3;

/// The programs that a test looks at, by seed.
pub(crate) fn seeds(count: u64) -> Vec<u64> {
    let number = |name: &str, default: u64| {
        let given = std::env::var(name).ok();
        given.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let first = number("LABRYS_GENERATED_FIRST", 1);
    (first..first + number("LABRYS_GENERATED", count)).collect()
}

/// The program of a seed, and its text in C.
pub(crate) fn program(seed: u64) -> (Program, String) {
    let text = Generator::new(seed).program();
    (compiled(&format!("seed {seed}"), &text), text)
}

/// A program in C.
pub(crate) fn compiled(name: &str, text: &str) -> Program {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, bitcode) = (folder.path().join("p.c"), folder.path().join("p.bc"));
    std::fs::write(&source, text).expect("written");
    let mut clang = Command::new("clang-19");
    clang.args([
        "-w",
        "-c",
        "-emit-llvm",
        "-O2",
        "-fwrapv",
        "-fno-strict-aliasing",
        // No definitions of library functions.
        "-D__NO_INLINE__",
    ]);
    clang.args(["-Xclang", "-disable-llvm-passes", "-o"]);
    let status = clang.arg(&bitcode).arg(&source).status();
    assert!(
        status.expect("clang-19 starts").success(),
        "{name} is not C:\n{text}"
    );
    let mut module = Module::read(&bitcode).expect("bitcode");
    module
        .run_passes("function(sroa,early-cse,instsimplify)")
        .expect("freezing passes");
    let program = lower(&module);
    program
        .verify()
        .unwrap_or_else(|violations| panic!("{name}: {violations:?}"));
    program
}

const PREFIX: &str = "
extern unsigned char __VERIFIER_nondet_uchar(void);
struct pair { int a; short b; unsigned char c; };
union word { int whole; unsigned char bytes[4]; float real; };
static int state, count, flag;
static unsigned char small;
static int table[4];
static struct pair s, pairs[2];
static union word u;
static float level;
static int twice(int n) { return n > 3 ? n + n : n; }
static int guarded(int n) { if (flag) { count++; return n; } return -n; }
static int down(int n) { return n <= 0 ? flag : down(n - 1) + 1; }
static int even(int n);
static int odd(int n) { return n <= 0 ? 0 : even(n - 1); }
static int even(int n) { return n <= 0 ? 1 : odd(n - 1); }
static void set(int *to, int n) { if (n > 2) *to = n; }
static const unsigned char kinds[8] = {1, 2, 2, 3, 1, 5, 2, 3};
static int mode = 1;
static int limited(int n) { if (n > 9) n = 9; if (n < 0) n = 0; return n; }
static int status(int n, int strict) {
  if (strict == 3) return -7;
  if (n < 0) return strict ? -1 : -2;
  return kinds[n & 7];
}
static struct pair *found(int n) { return n > 4 ? 0 : n > 2 ? &pairs[n & 1] : &s; }
static int sum(int n) {
  int all = 0;
  struct pair *at = found(n);
  if (at == &pairs[1] && n == 2) return -9;
  if (at) all += at->c;
  switch (status(n, mode)) { case -1: all--; break; case 1: case 2: all++; break; case 4: all = 77; break; case -2: all = 78; break; }
  return all;
}
static int (*step)(int) = twice;
";

/// Draws programs.
struct Generator {
    state: u64,
    text: String,
    depth: u32,
    loops: u32,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Generator {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            text: PREFIX.to_owned(),
            depth: 0,
            loops: 0,
        }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % bound
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn place(&mut self) -> &'static str {
        self.pick(&[
            "state",
            "count",
            "flag",
            "small",
            "state",
            "flag",
            "s.a",
            "s.b",
            "s.c",
            "u.whole",
            "u.bytes[1]",
            "u.bytes[x & 3]",
            "table[1]",
            "table[y & 3]",
            "pairs[x & 1].b",
            "q->a",
            "*p",
            "p[0]",
        ])
    }

    fn value(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(5) {
                0 | 1 => self.below(6).to_string(),
                2 => self.pick(&["x", "y"]).to_owned(),
                3 => self
                    .pick(&[
                        "(int)level",
                        "(q == &s)",
                        "(p == &state)",
                        "*(table + (x & 3))",
                    ])
                    .to_owned(),
                _ => self.place().to_owned(),
            };
        }
        let (left, right) = (self.value(depth - 1), self.value(0));
        match self.below(14) {
            11 => format!("limited({left})"),
            12 => format!("status({left}, {})", self.pick(&["0", "1", "2"])),
            13 => format!("sum({left})"),
            0 => format!("({left} & {right})"),
            1 => format!("({left} ^ {right})"),
            2 => format!("({left} - {right})"),
            3 => format!("({left} * {})", self.below(4)),
            4 => format!("step({left})"),
            5 => format!("down({left} & {})", self.pick(&["1", "3"])),
            6 => format!("even({left} & 3)"),
            7 => format!("guarded({left})"),
            _ => format!("({left} + {right})"),
        }
    }

    fn condition(&mut self) -> String {
        let relation = self.pick(&["<", "==", "==", "!=", ">", ">="]);
        if self.below(7) == 0 {
            let bound = self.pick(&["0.5f", "2.0f", "7.25f", "100.0f"]);
            return format!("level {relation} {bound}");
        }
        let depth = self.below(2) as u32;
        let (left, right) = (self.value(depth), self.value(0));
        match self.below(6) {
            0 => format!("{left} {relation} {right} && {}", self.place()),
            1 => format!("{left} {relation} {right} || {} > 3", self.place()),
            _ => format!("{left} {relation} {right}"),
        }
    }

    fn block(&mut self, statements: u64) {
        self.text.push_str("{\n");
        for _ in 0..statements {
            self.statement();
        }
        self.text.push_str("}\n");
    }

    fn decision(&mut self) {
        let condition = self.condition();
        let _ = writeln!(self.text, "if ({condition})");
        let (then, otherwise) = (self.below(2) + 1, self.below(2));
        self.block(then);
        if otherwise > 0 {
            self.text.push_str("else ");
            self.block(otherwise);
        }
    }

    fn round(&mut self) {
        self.loops += 1;
        let name = format!("i{}", self.loops);
        let bound = self.pick(&["3", "(x & 3)", "5", "(y & 1)", "(count & 3)"]);
        let _ = writeln!(
            self.text,
            "for (int {name} = 0; {name} < {bound}; {name}++)"
        );
        self.block(2);
        self.loops -= 1;
    }

    fn statement(&mut self) {
        self.depth += 1;
        let choices = if self.depth > DEPTH { 5 } else { 10 };
        match self.below(choices) {
            0..=2 => {
                let depth = self.below(2) as u32;
                let (place, value) = (self.place(), self.value(depth));
                let _ = writeln!(self.text, "{place} = {value};");
            }
            3 => {
                let text = self.pick(&[
                    "p = &state;",
                    "p = table + (y & 3);",
                    "p = &s.a;",
                    "p = &count; p++; p--;",
                    "q = &s;",
                    "q = &pairs[y & 1];",
                    "s = pairs[x & 1];",
                    "step = guarded;",
                    "step = x & 1 ? even : twice;",
                ]);
                let _ = writeln!(self.text, "{text}");
            }
            4 => {
                let text = self.pick(&[
                    "level = level * 0.5f + x;",
                    "level = y;",
                    "level += 1.5f;",
                    "u.real = level;",
                    "flag = 1;",
                    "flag = !flag;",
                    "mode = 2;",
                    "if (limited(x - y) > 9) state = 99;",
                    "if (limited(state) == 9 && state < 9) flag = 98;",
                    "if (status(y, 0) == 4) state = 97;",
                    "count++;",
                    "set(&state, y);",
                    "set(table + (x & 3), count);",
                ]);
                let _ = writeln!(self.text, "{text}");
            }
            5..=7 => self.decision(),
            8 if self.loops < 2 => self.round(),
            _ => {
                let value = self.value(0);
                let _ = writeln!(self.text, "switch ({value}) {{ case 0:");
                self.block(1);
                self.text.push_str("break; case 2:");
                self.block(1);
                self.text.push_str("default:");
                self.block(1);
                self.text.push_str("}\n");
            }
        }
        self.depth -= 1;
    }

    fn program(mut self) -> String {
        self.text
            .push_str("int main(void) {\nint *p = &table[1]; struct pair *q = &pairs[0];\n");
        self.text
            .push_str("unsigned char x = __VERIFIER_nondet_uchar();\n");
        let rounds = self.below(3);
        if rounds == 0 {
            self.text
                .push_str("unsigned char y = __VERIFIER_nondet_uchar();\n{\n");
        } else {
            let bound = self.pick(&["2", "4", "6", "(x & 7)"]);
            let _ = writeln!(
                self.text,
                "for (int turn = 0; turn < {bound}; turn++) {{\nunsigned char y = __VERIFIER_nondet_uchar();"
            );
        }
        let statements = self.below(4) + 3;
        for _ in 0..statements {
            self.statement();
        }
        self.decision();
        self.text
            .push_str("}\nif (state == 4) { if (flag == 7) return 1; }\n");
        self.text.push_str("return count;\n}\n");
        self.text
    }
}
