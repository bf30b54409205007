//! How tests call the real commands.
//!
//! The tests need clang 19 and the runtime library beside the command:
//! `cargo build --workspace` makes it.

// Each test uses a part of these.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Once};

use labrys_suite::Suite;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tempfile::TempDir;

/// A temporary folder.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A program of the tests.
pub(crate) fn program(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    tests.join(name)
}

/// Has children answer signals that this process was started to ignore (by `nohup`, or in the
/// background of a script): what is caught here is not ignored there.
fn answer_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let heard = labrys_cc::ending_signals();
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            if !heard.contains(&signal) {
                signal_hook::flag::register(signal, Arc::default()).expect("a signal to catch");
            }
        }
    });
}

/// The `labrys` command.
pub(crate) fn labrys() -> Command {
    answer_signals();
    let command = PathBuf::from(env!("CARGO_BIN_EXE_labrys"));
    let runtime = command.with_file_name("liblabrys_runtime.a");
    assert!(
        runtime.is_file(),
        "{} is missing; run `cargo build --workspace` first",
        runtime.display()
    );
    Command::new(command)
}

/// The `labrys-cc` command, building whole executables.
pub(crate) fn labrys_cc() -> Command {
    answer_signals();
    let mut command = Command::new(env!("CARGO_BIN_EXE_labrys-cc"));
    command.env("LABRYS_WHOLE", "1");
    command
}

/// Runs a command to its end.
pub(crate) fn output(command: &mut Command) -> Output {
    command.output().expect("the command runs")
}

/// Runs a command, which must succeed.
pub(crate) fn succeed(command: &mut Command) {
    let status = command.status().expect("the command runs");
    assert!(status.success(), "{command:?}");
}

/// What a command printed: standard output, then standard error.
pub(crate) fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}\n{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

/// Runs the tests of a suite again.
pub(crate) fn replay(suite: &Path, more: &[&str]) -> Output {
    output(labrys().arg("replay").arg(suite).args(more))
}

/// A call of `labrys cover` on a program, with its suite.
pub(crate) struct Cover {
    pub(crate) folder: TempDir,
    pub(crate) program: PathBuf,
    pub(crate) options: Vec<String>,
}

impl Cover {
    /// A call on a program of the tests.
    pub(crate) fn new(name: &str, options: &str) -> Self {
        Cover {
            folder: folder(),
            program: program(name),
            options: options.split_whitespace().map(str::to_owned).collect(),
        }
    }

    /// A call on a program with this text.
    pub(crate) fn text(text: &str, options: &str) -> Self {
        let mut cover = Self::new("", options);
        cover.program = cover.folder.path().join("program.c");
        std::fs::write(&cover.program, text).expect("the folder is writable");
        cover
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join("suite")
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = labrys();
        command.arg("cover").arg(&self.program);
        command.arg("--out").arg(self.out()).args(&self.options);
        command
    }

    /// Runs the command; its status must be this.
    pub(crate) fn expect(&self, status: i32) -> (Suite, Output) {
        let output = output(&mut self.command());
        assert_eq!(output.status.code(), Some(status), "{}", text(&output));
        (Suite::open(&self.out()).expect("a valid suite"), output)
    }
}

/// Compiles the tests of a function without a warning by each compiler, and runs them; optimized too.
pub(crate) fn tests_pass(file: &Path) {
    tests_pass_with(file, None);
}

/// The same, linked with an object.
pub(crate) fn tests_pass_with(file: &Path, object: Option<&Path>) {
    let program = file.with_extension("exe");
    for compiler in ["gcc", "clang-19"] {
        let mut command = Command::new(compiler);
        command.args(["-Wall", "-Wextra", "-Werror", "-o"]);
        let built = output(command.arg(&program).arg(file).args(object));
        assert!(built.status.success(), "{compiler}: {}", text(&built));
        let run = output(&mut Command::new(&program));
        assert!(run.status.success(), "{compiler}: {}", text(&run));
        let mut command = Command::new(compiler);
        command.args(["-O2", "-w", "-o"]).arg(&program);
        succeed(command.arg(file).args(object));
        let run = output(&mut Command::new(&program));
        assert!(run.status.success(), "{compiler} -O2: {}", text(&run));
    }
}

/// Covers all functions of these sources in a folder, in so many steps; what is told.
pub(crate) fn all_functions(folder: &Path, sources: &[&str], steps: &str) -> String {
    let mut command = labrys();
    command.current_dir(folder).arg("cover").args(sources);
    command.args(["--all-functions", "--steps", steps, "--out", "out"]);
    text(&output(&mut command))
}

/// The functions in a suite of `out` have all their branches covered, by what was told, and tests
/// that pass.
pub(crate) fn all_covered(folder: &Path, told: &str, names: &[&str]) {
    all_covered_with(folder, told, names, None);
}

/// The same, the tests linked with an object.
pub(crate) fn all_covered_with(folder: &Path, told: &str, names: &[&str], object: Option<&Path>) {
    for name in names {
        let mut lines = told.lines();
        let line = lines.find(|line| line.starts_with(&format!("{name} ")));
        let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
        assert_eq!(words.get(1), words.get(3), "{name}: {told}");
        let tests = folder.join(format!("out/{name}/tests/test_{name}.c"));
        tests_pass_with(&tests, object);
    }
}
