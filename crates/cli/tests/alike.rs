//! An instrumented program behaves as the plain one: the programs of `alike`, each about something
//! that surrounds a program, and random programs of csmith where that is installed, print the same
//! and end alike whether clang builds them or `labrys-cc`, and with joined paths.
//!
//! A line `// options:` of a program is for both compilers. `LABRYS_CSMITH` is the number of random
//! programs, `LABRYS_CSMITH_FIRST` the first seed.

#![allow(missing_docs)]

mod common;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{folder, labrys, labrys_cc, output};
use labrys_cc::Frozen;

/// Levels of optimization, of both compilers.
const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// What each program reads.
const INPUT: &str = "abc\n";

/// Options of both compilers.
fn options(text: &str) -> Vec<&str> {
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("// options:"));
    line.unwrap_or_default().split_whitespace().collect()
}

/// Builds a program, and runs it; it may take so many seconds.
fn built_and_run(compiler: &mut Command, words: &[&str], source: &Path, at: &Path) -> Output {
    compiler.args(["-w", "-D_GNU_SOURCE"]).args(words);
    compiler.arg(source).args(["-lm", "-pthread", "-o"]).arg(at);
    let built = output(compiler);
    let told = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{}: {told}", source.display());
    run(at)
}

/// Builds the executable with joined paths of one that `labrys-cc` built, and runs it.
fn joined_and_run(whole: &Path, at: &Path) -> Output {
    let frozen = at.with_file_name("frozen");
    Frozen::of_executable(whole, &frozen).expect("a frozen program");
    let mut build = labrys();
    build.args(["build-worker", "joined"]).arg(frozen).arg(at);
    let built = output(&mut build);
    assert!(at.is_file(), "{built:?}");
    run(at)
}

fn run(at: &Path) -> Output {
    let input = at.with_extension("input");
    fs::write(&input, INPUT).expect("written");
    let mut run = Command::new("timeout");
    run.arg("60").arg(at);
    output(run.stdin(File::open(input).expect("there")))
}

/// Builds a program with both compilers, and with joined paths: all print the same and end alike.
fn compare(source: &Path, words: &[&str]) {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).join("program");
    for name in ["plain", "labrys", "joined"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    let plain = built_and_run(&mut Command::new("clang-19"), words, source, &at("plain"));
    let ours = built_and_run(&mut labrys_cc(), words, source, &at("labrys"));
    let name = source.display();
    let shown = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(shown(&ours), shown(&plain), "{name} {words:?}");
    assert_eq!(ours.status, plain.status, "{name} {words:?}");
    let joined = joined_and_run(&at("labrys"), &at("joined"));
    assert_eq!(shown(&joined), shown(&plain), "{name} {words:?}, joined");
    assert_eq!(joined.status, plain.status, "{name} {words:?}, joined");
}

#[test]
fn what_surrounds_a_program_is_as_ever() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/alike");
    let entries = fs::read_dir(programs).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths.collect();
    paths.sort();
    for (path, level) in paths.iter().zip(LEVELS.iter().cycle()) {
        let text = fs::read_to_string(path).expect("text");
        let words = [&options(&text)[..], &[level]].concat();
        compare(path, &words);
    }
}

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_programs_compute_the_same() {
    let headers = Path::new("/usr/include/csmith");
    if Command::new("csmith").arg("--version").output().is_err() || !headers.is_dir() {
        eprintln!("csmith or libcsmith-dev (Debian packages) is missing: nothing is compared");
        return;
    }
    let folder = folder();
    let source = folder.path().join("random.c");
    let first = number("LABRYS_CSMITH_FIRST", 1);
    for seed in first..first + number("LABRYS_CSMITH", 4) {
        let mut csmith = Command::new("csmith");
        csmith.args(["--seed", &seed.to_string(), "--max-funcs", "4", "-o"]);
        assert!(output(csmith.arg(&source)).status.success(), "seed {seed}");
        let level = LEVELS[(seed % 2) as usize];
        println!("seed {seed}");
        compare(&source, &["-I", "/usr/include/csmith", level]);
    }
}
