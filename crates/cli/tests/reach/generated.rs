//! `labrys reach` against brute force: many small generated functions, each with places that some
//! inputs reach and places that none does. Every input of two bytes is tried; a verdict that
//! contradicts that is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Functions per program; `LABRYS_REACH_FUNCTIONS` asks for more of them (building takes less of
/// the time then), `LABRYS_REACH_PROGRAMS` for more programs, `LABRYS_REACH_FIRST` for others.
const FUNCTIONS: u64 = 12;

/// Steps for each function: enough for most of its targets. `LABRYS_REACH_STEPS` changes them.
const STEPS: u64 = 21;

/// A number from the environment.
pub(super) fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn functions() -> u64 {
    number("LABRYS_REACH_FUNCTIONS", FUNCTIONS)
}

/// A program to check.
pub(super) struct Drawn {
    pub(super) text: String,
    /// All of its targets, or those of the function in which runs begin; in the order of their
    /// numbers.
    pub(super) targets: Vec<String>,
    /// Options of both compilers.
    pub(super) options: Vec<&'static str>,
    /// The function in which runs begin, if it is not `main`.
    pub(super) entry: Option<String>,
    /// Steps of the search.
    pub(super) steps: u64,
}

/// Draws programs.
struct Generator {
    state: u64,
    text: String,
    targets: Vec<String>,
    function: usize,
    depth: u32,
    loops: u32,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Generator {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            text: String::new(),
            targets: Vec::new(),
            function: 0,
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
        let index = self.below(choices.len() as u64) as usize;
        choices[index]
    }

    fn place(&mut self) -> &'static str {
        self.pick(&[
            "x", "y", "z", "g", "t[a & 3]", "t[y & 3]", "*p", "t[1]", "s.u", "s.v",
        ])
    }

    fn value(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(4) {
                0 => (self.below(40) as i64 - 20).to_string(),
                1 => self.pick(&["a", "b"]).to_owned(),
                _ => self.place().to_owned(),
            };
        }
        let left = self.value(depth - 1);
        let right = self.value(depth - 1);
        match self.below(12) {
            0 => format!("({left} * {})", self.below(7)),
            1 => format!("({left} & {right})"),
            2 => format!("({left} ^ {right})"),
            3 => format!("({left} % {})", self.below(9) + 2),
            4 => format!("(int)((unsigned){left} >> {})", self.below(8)),
            5 => format!("help{}({left}, {right})", self.below(3)),
            6 => format!("({left} | {right})"),
            7 | 8 => format!("({left} - {right})"),
            _ => format!("({left} + {right})"),
        }
    }

    /// A condition on what a library function says of a string.
    fn text_condition(&mut self) -> String {
        let text = self.pick(&["w", "w + 1", "u", "u + (b & 1)"]);
        let other = self.pick(&["w", "u", "\"ab\"", "\"b\"", "\"\"", "\"a7\""]);
        let letter = self.pick(&["'a'", "'7'", "0", "a", "' '"]);
        let relation = self.pick(&["<", "==", "!=", ">="]);
        let number = self.below(4);
        match self.below(10) {
            0 => format!("strlen({text}) {relation} {number}"),
            1 => format!("strcmp({text}, {other}) {relation} 0"),
            2 => format!("strncmp({text}, {other}, {number}) {relation} 0"),
            3 => format!("memcmp({text}, \"abcdefg\", {number}) {relation} 0"),
            4 => format!("strchr({text}, {letter}) == {text} + {number}"),
            5 => format!("strrchr({text}, {letter}) == {text} + {number}"),
            6 => format!("atoi({text}) {relation} {number}"),
            7 => format!("strstr({text}, {other}) == {text} + {number}"),
            8 => {
                format!("isalpha((unsigned char)*({text})) || isspace((unsigned char)w[{number}])")
            }
            _ => format!("toupper(*({text})) {relation} tolower(w[1])"),
        }
    }

    fn condition(&mut self) -> String {
        if self.below(4) == 0 {
            return self.text_condition();
        }
        let depth = self.below(2) as u32;
        let (left, right) = (self.value(depth), self.value(0));
        let relation = self.pick(&["<", "<=", "==", "==", "!=", ">", ">="]);
        let one = format!("{left} {relation} {right}");
        match self.below(6) {
            0 => format!("{one} && {}", self.value(0)),
            1 => format!("{one} || {} > {}", self.value(0), self.below(30)),
            _ => one,
        }
    }

    fn target(&mut self) {
        let name = format!("f{}_{}", self.function, self.targets.len());
        let _ = writeln!(self.text, "T(\"{name}\", {});", self.targets.len());
        self.targets.push(name);
    }

    fn block(&mut self, statements: u64) {
        self.text.push_str("{\n");
        for _ in 0..statements {
            self.statement();
        }
        self.text.push_str("}\n");
    }

    fn statement(&mut self) {
        self.depth += 1;
        let deep = self.depth > 4;
        match self.below(if deep { 5 } else { 12 }) {
            0..=3 => {
                let depth = self.below(3) as u32;
                let (place, value) = (self.place(), self.value(depth));
                let _ = writeln!(self.text, "{place} = {value};");
            }
            4 => {
                let choice = self.pick(&[
                    "p = &x;",
                    "p = &t[b & 3];",
                    "p = &g;",
                    "s2 = s; s.u = s2.v;",
                ]);
                let _ = writeln!(self.text, "{choice}");
            }
            5..=7 => self.decision(),
            8 if self.loops < 2 => self.round(),
            9 => {
                let value = self.value(1);
                let _ = writeln!(self.text, "switch ({value} & 3) {{ case 0: ");
                self.block(1);
                self.text.push_str("break; case 1: ");
                self.block(1);
                self.text.push_str("default: ");
                self.block(1);
                self.text.push_str("}\n");
            }
            10 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) return x;");
            }
            _ => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) ");
                self.text.push_str("{\n");
                self.target();
                self.text.push_str("}\n");
            }
        }
        self.depth -= 1;
    }

    fn decision(&mut self) {
        let condition = self.condition();
        let _ = writeln!(self.text, "if ({condition}) ");
        let (then, otherwise) = (self.below(3) + 1, self.below(3));
        self.block(then);
        if otherwise > 0 {
            self.text.push_str("else ");
            self.block(otherwise);
        }
    }

    fn round(&mut self) {
        self.loops += 1;
        let name = format!("i{}", self.loops);
        let bound = self.pick(&["(a & 7)", "3", "(b & 15)", "2", "(unsigned char)a"]);
        let _ = writeln!(
            self.text,
            "for (int {name} = 0; {name} < {bound}; {name}++) "
        );
        self.text.push_str("{\n");
        let _ = writeln!(self.text, "x += {name};");
        self.statement();
        if self.below(3) == 0 {
            let condition = self.condition();
            let _ = writeln!(self.text, "if ({condition}) break;");
        }
        self.text.push_str("}\n");
        self.loops -= 1;
    }

    /// A whole program.
    fn program(mut self, functions: usize) -> (String, Vec<String>) {
        self.text.push_str(PREFIX);
        for function in 0..functions {
            self.function = function;
            let _ = writeln!(
                self.text,
                "static int f{function}(signed char a, signed char b) {{"
            );
            self.text.push_str(LOCALS);
            let statements = self.below(5) + 3;
            for _ in 0..statements {
                self.statement();
            }
            self.target_at_end();
            self.text.push_str("return x + y;\n}\n");
        }
        let _ = writeln!(
            self.text,
            "static void run(int which, signed char a, signed char b) {{"
        );
        self.text.push_str("g = 3;\nswitch (which) {\n");
        for function in 0..functions {
            let _ = writeln!(self.text, "case {function}: f{function}(a, b); break;");
        }
        self.text.push_str("}\n}\n");
        self.text.push_str(SUFFIX);
        let text = self.text.replace("COUNT", &self.targets.len().to_string());
        let text = text.replace("FUNCTIONS", &functions.to_string());
        (text, self.targets)
    }

    fn target_at_end(&mut self) {
        let condition = self.condition();
        let _ = writeln!(self.text, "if ({condition}) {{");
        self.target();
        self.text.push_str("}\n");
    }
}

const PREFIX: &str = r#"
#include <ctype.h>
#include <labrys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned char reached[COUNT + 1][4], now[4] = {1};
#ifdef BRUTE
#define T(name, number) memcpy(reached[number], now, 4)
#else
#define T(name, number) labrys_target(name)
#endif
static int g;
static int help0(int a, int b) { return a > b ? a - b : b; }
static int help1(int a, int b) { if (a == 7) g = b; return a ^ (b & 5); }
static int help2(int a, int b) {
  int n = 0;
  for (int i = 0; i < (a & 3); i++) n += b;
  return n;
}
"#;

const LOCALS: &str = "int x = a, y = b, z = 5, t[4] = {1, a, 2, b}, *p = &t[2];
struct { int u; short v; } s = {a, 4}, s2;
char w[5] = {a, b, '7', 'b'}, u[8] = \"ab7\"; u[y & 3] = a;
(void)z; (void)p; (void)s; (void)s2; (void)w; (void)u;
";

/// How programs end: with all inputs, or with one.
pub(super) const SUFFIX: &str = r#"
#ifdef BRUTE
int main(void) {
  for (int which = 0; which < FUNCTIONS; which++)
    for (int a = -128; a < 128; a++)
      for (int b = -128; b < 128; b++) {
        now[1] = which, now[2] = a, now[3] = b;
        run(which, (signed char)a, (signed char)b);
      }
  fwrite(reached, 4, COUNT, stdout);
  return 0;
}
#else
int main(void) {
  unsigned char which;
  signed char a, b;
  labrys_symbolic(&which, 1, "which");
  labrys_symbolic(&a, 1, "a");
  labrys_symbolic(&b, 1, "b");
  run(which, a, b);
  return 0;
}
#endif
"#;

/// The number of a target.
fn number_of(name: &str) -> usize {
    let number = name.rsplit('_').next();
    number.and_then(|text| text.parse().ok()).expect("a number")
}

/// The targets that some input reaches, by trying all. One input for each is left in the folder
/// `witnesses`: what the harness asks for, or the arguments of the entry.
fn brute_force(folder: &Path, source: &Path, drawn: &Drawn) -> BTreeSet<String> {
    let executable = folder.join("brute");
    let built = Command::new("clang-19")
        .args(["-w", "-DBRUTE", "-I"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../models/include"))
        .args(&drawn.options)
        .arg(source)
        .arg("-o")
        .arg(&executable)
        .status()
        .expect("clang runs");
    assert!(built.success(), "the generated program is not C");
    let output = Command::new(executable).output().expect("it runs");
    let witnesses = folder.join("witnesses");
    std::fs::create_dir(&witnesses).expect("created");
    let inputs: Vec<&[u8]> = output.stdout.chunks_exact(4).collect();
    let all = drawn.targets.iter();
    all.filter(|name| {
        let input = inputs[number_of(name)];
        let reached = input[0] == 1;
        if reached {
            let asked = if drawn.entry.is_some() { 2 } else { 1 };
            std::fs::write(witnesses.join(name), &input[asked..]).expect("written");
        }
        reached
    })
    .cloned()
    .collect()
}

/// What programs showed: verdicts of `labrys reach`, and branches that `labrys cover --abstraction`
/// proves unreachable.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) reached: usize,
    pub(super) unreachable: usize,
    pub(super) open: usize,
    pub(super) excluded: usize,
}

fn build(seed: u64, folder: &Path, source: &Path, drawn: &Drawn) -> PathBuf {
    let executable = folder.join("generated");
    let built = Command::new(env!("CARGO_BIN_EXE_labrys-cc"))
        .env("LABRYS_WHOLE", "1")
        .arg("-w")
        .args(&drawn.options)
        .arg("-o")
        .args([&executable, source])
        .status()
        .expect("labrys-cc runs");
    assert!(built.success(), "seed {seed} is not built");
    executable
}

/// What `labrys reach` says. Targets in code that the compiler leaves out are taken from the list;
/// no input reaches them.
fn reach(
    seed: u64,
    executable: &Path,
    drawn: &mut Drawn,
    known: &BTreeSet<String>,
) -> serde_json::Value {
    loop {
        let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
        command.arg("reach").arg(executable);
        command.args(["--no-forward", "--json", "--quiet"]);
        // Steps alone decide how far it comes.
        command.args(["--time", "10h"]);
        command.args(["--steps", &drawn.steps.to_string()]);
        command.args(["--loop-bound", "3"]);
        if let Some(entry) = &drawn.entry {
            command.args(["--entry", entry]);
        }
        for target in &drawn.targets {
            command.args(["--target", target]);
        }
        let output = command.arg("--out").arg(executable.with_file_name("out"));
        let output = output.output().expect("labrys runs");
        let told = String::from_utf8_lossy(&output.stderr);
        let missing = told.split("error: --target ").nth(1);
        if let Some(name) = missing.and_then(|rest| rest.split(':').next()) {
            assert!(!known.contains(name), "seed {seed}: {name} is not found");
            drawn.targets.retain(|target| target != name);
            continue;
        }
        let text = String::from_utf8_lossy(&output.stdout);
        return serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{told}"));
    }
}

/// What `labrys cover` says with these options.
fn cover(seed: u64, suite: &Path, options: &[&str]) -> serde_json::Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys"));
    command.arg("cover").args(options);
    command.args(["--no-fuzz", "--json", "--quiet"]);
    let output = command.arg("--out").arg(suite);
    let output = output.output().expect("labrys runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        let told = String::from_utf8_lossy(&output.stderr);
        panic!("seed {seed}: {error}\n{told}")
    })
}

/// How many branches `labrys cover --abstraction` proves unreachable. Then the program runs on the
/// inputs that brute force found, which contradict a wrong proof.
fn excluded(seed: u64, source: &Path, executable: &Path, drawn: &Drawn) -> usize {
    let steps = (2 * drawn.steps).to_string();
    // The search has little part of it: what it reaches first is not proved any more.
    let program = executable.to_str().expect("a name");
    let mut options = vec![program, "--abstraction=1", "--steps", &steps];
    if let Some(entry) = &drawn.entry {
        options.extend(["--entry", entry]);
    }
    let suite = executable.with_file_name("suite");
    let said = cover(seed, &suite, &options);
    let proved = said["branches"]["unreachable"].as_u64().unwrap_or_default();
    let witnesses = executable.with_file_name("witnesses");
    let folder = witnesses.to_str().expect("a name");
    let count = std::fs::read_dir(&witnesses).expect("a folder").count();
    if proved > 0 && count > 0 {
        let runs = (said["runs"].as_u64().unwrap_or_default() + count as u64).to_string();
        let said = cover(
            seed,
            &suite,
            &["--resume", "--input", folder, "--runs", &runs],
        );
        let contradicted = said["contradictions"].as_array();
        if contradicted.is_some_and(|list| !list.is_empty()) {
            panic!(
                "seed {seed}, {:?}: {contradicted:?}; see {}",
                drawn.options,
                keep(seed, source)
            );
        }
    }
    proved as usize
}

/// Keeps a program that shows something wrong; where.
fn keep(seed: u64, source: &Path) -> String {
    let kept = std::env::temp_dir().join(format!("labrys-reach-{seed}.c"));
    std::fs::copy(source, &kept).expect("kept");
    kept.display().to_string()
}

/// Leaves one target of each function, most often one that is reached: a run that is made for
/// another one may come to it as well, and then no proof of it is tried.
fn one_of_each_function(seed: u64, drawn: &mut Drawn, known: &BTreeSet<String>) {
    let mut by_function: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for target in drawn.targets.drain(..) {
        let function = target.split('_').next().unwrap_or_default().to_owned();
        by_function.entry(function).or_default().push(target);
    }
    for (place, mut targets) in by_function.into_values().enumerate() {
        let turn = seed as usize + place;
        let reached = targets.iter().any(|target| known.contains(target));
        if reached && turn % 4 != 0 {
            targets.retain(|target| known.contains(target));
        }
        drawn
            .targets
            .push(targets.swap_remove(turn % targets.len()));
    }
}

pub(super) fn check(seed: u64, mut drawn: Drawn, tally: &mut Tally) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("generated.c");
    std::fs::write(&source, &drawn.text).expect("written");
    let known = brute_force(folder.path(), &source, &drawn);
    let executable = build(seed, folder.path(), &source, &drawn);
    one_of_each_function(seed, &mut drawn, &known);
    tally.excluded += excluded(seed, &source, &executable, &drawn);
    let result = reach(seed, &executable, &mut drawn, &known);
    let reports = result["targets"].as_array().expect("a list");
    assert_eq!(reports.len(), drawn.targets.len());
    for report in reports {
        let name = report["target"].as_str().expect("a name");
        match report["verdict"].as_str() {
            Some("reached") => {
                // With freedom in how it computes floats, a compiler may come elsewhere.
                let free = drawn.options.contains(&"-Ofast");
                assert!(
                    free || known.contains(name),
                    "seed {seed}: {name} is unreachable"
                );
                tally.reached += 1;
            }
            Some("unreachable") => {
                assert!(
                    !known.contains(name),
                    "seed {seed}: {name} is reachable with {:?}; see {}",
                    drawn.options,
                    keep(seed, &source)
                );
                tally.unreachable += 1;
            }
            _ => tally.open += 1,
        }
    }
}

#[test]
fn no_verdict_contradicts_brute_force() {
    let first = number("LABRYS_REACH_FIRST", 1);
    let mut tally = Tally::default();
    for seed in first..first + number("LABRYS_REACH_PROGRAMS", 2) {
        let (text, targets) = Generator::new(seed).program(functions() as usize);
        let drawn = Drawn {
            text,
            targets,
            options: vec!["-O1", "-fwrapv"],
            entry: None,
            steps: functions() * number("LABRYS_REACH_STEPS", STEPS),
        };
        check(seed, drawn, &mut tally);
        println!("up to seed {seed}: {tally:?}");
    }
    let decided = tally.reached + tally.unreachable;
    let all_steps = number("LABRYS_REACH_STEPS", STEPS) >= STEPS;
    assert!(
        !all_steps || decided > 3 * tally.open,
        "too little was decided: {tally:?}"
    );
}
