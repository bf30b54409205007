//! Project chores: `cargo xtask {tidy,structure,same,bless,bench,fuzz,generate}`.
//!
//! - `tidy` checks what the compiler does not: the rules in [`mod@tidy`]. A test does the same, so
//!   `cargo test --workspace` and continuous integration know no other rules.
//! - `structure` prints the crates with their modules, circles and long functions; see
//!   [`structure`].
//! - `same OLD NEW` compares what two builds do; see [`same`].
//! - `bless` runs the tests and takes their results for the expected ones; more arguments go to
//!   `cargo test`.
//! - `bench [NAME [OPTIONS]]` runs one benchmark, or all; see [`mod@bench`].
//! - `fuzz [READER...] [OPTIONS]` fuzzes the readers of all formats; see [`fuzz`].
//! - `generate LINES [SEED]` prints a synthetic C program; see [`generate`].

mod bench;
mod fuzz;
mod generate;
mod same;
mod source;
mod structure;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask tidy          check the rules that the compiler does not know
       cargo xtask structure     print crates, modules, circles, long functions
       cargo xtask same OLD NEW  compare the suites and verdicts of two builds
       cargo xtask bless [ARGS]  run the tests, take what they give for what is expected
       cargo xtask bench [NAME]  run a benchmark, or all; `list` names them; options follow a name
       cargo xtask bench search [--short] ...
                                 compare search strategies
       cargo xtask bench testcomp --tasks DIR ...
                                 cover tasks of Test-Comp, judged by TestCov
       cargo xtask fuzz [READER...] [--seconds N] [--jobs N]
                                 fuzz the readers of all formats, or some; `list` names them
       cargo xtask generate LINES [SEED]
                                 print a synthetic C program";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["tidy"] => tidy(),
        ["structure"] => structure::print(&root()),
        ["same", rest @ ..] => same::run(&root(), rest),
        ["bless", rest @ ..] => bless(rest),
        ["bench", rest @ ..] => bench::run(&root(), rest),
        ["fuzz", rest @ ..] => fuzz::run(&root(), rest),
        ["generate", lines, seed @ ..] if seed.len() <= 1 => generate(lines, seed.first()),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder.
fn root() -> PathBuf {
    // As cargo says when it runs this: clones may share what was compiled in one of them.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR");
    let manifest = manifest.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let manifest = Path::new(&manifest);
    manifest.parent().unwrap_or(manifest).to_owned()
}

fn tidy() -> Result<(), String> {
    let problems = tidy::problems(&root()).map_err(|error| error.to_string())?;
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n"))
    }
}

fn generate(lines: &str, seed: Option<&&str>) -> Result<(), String> {
    let number = |text: &str| text.parse::<u64>().map_err(|_| USAGE.to_owned());
    let (lines, seed) = (number(lines)?, number(seed.unwrap_or(&"1"))?);
    print!("{}", generate::program(lines as usize, seed));
    Ok(())
}

fn bless(arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new("cargo");
    command
        .arg("test")
        .args(arguments)
        .env("UPDATE_EXPECT", "1")
        .current_dir(root());
    if arguments.is_empty() {
        command.args(["--workspace", "--no-fail-fast"]);
    }
    run(&mut command)
}

/// Runs a command to its end.
fn run(command: &mut Command) -> Result<(), String> {
    let status = command
        .status()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?} failed: {status}"))
    }
}
