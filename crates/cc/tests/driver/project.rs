//! A scratch project to run the drop-in compilers in, with the runtime library built.

#![allow(clippy::unwrap_used)]

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Once;

use labrys_cc::Language;
use labrys_cc::container::Container;

/// A folder with sources and what is made of them.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// A folder with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        build_runtime();
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Project { folder }
    }

    /// Absolute path of a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a compiler, which builds whole executables; words like `@name` stand for files of the
    /// project. Returns its exit code.
    pub(crate) fn compile(&self, language: Language, line: &str) -> i32 {
        labrys_cc::main(self.words(&format!("--labrys-whole {line}")), language)
    }

    /// Runs `labrys-cc` as build systems do.
    pub(crate) fn defer(&self, line: &str) {
        let status = labrys_cc::main(self.words(line), Language::C);
        assert_eq!(status, 0, "labrys-cc {line}");
    }

    /// Runs `labrys-cc`, which must succeed.
    pub(crate) fn cc(&self, line: &str) {
        assert_eq!(self.compile(Language::C, line), 0, "labrys-cc {line}");
    }

    /// Runs another program, which must succeed.
    pub(crate) fn tool(&self, program: &str, line: &str) {
        let output = Command::new(program)
            .args(self.words(line))
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {line}: {messages}");
    }

    /// Runs a built executable and its plain twin, which must agree; what they print.
    pub(crate) fn run(&self, name: &str, arguments: &[&str]) -> String {
        let instrumented = run(&self.path(name), arguments);
        let plain = self.path(&format!("{name}.plain"));
        self.open(name).write_plain(&plain).unwrap();
        let twin = run(&plain, arguments);
        assert_eq!(instrumented.status, twin.status);
        assert_eq!(instrumented.stdout, twin.stdout);
        String::from_utf8(twin.stdout).unwrap()
    }

    /// The sections of a built executable.
    pub(crate) fn open(&self, name: &str) -> Container {
        Container::open(&self.path(name)).unwrap()
    }

    fn words(&self, line: &str) -> Vec<OsString> {
        let folder = format!("{}/", self.folder.path().display());
        line.split_whitespace()
            .map(|word| word.replace('@', &folder).into())
            .collect()
    }
}

/// Runs a program. A file just written may be busy: another test's child has it open until that
/// child becomes the program it was made for.
pub(crate) fn run(program: &Path, arguments: &[&str]) -> Output {
    loop {
        match Command::new(program).args(arguments).output() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            output => return output.unwrap(),
        }
    }
}

/// Puts the runtime library beside the folder of the test program, where the compilers find it.
fn build_runtime() {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        let own = std::env::current_exe().unwrap();
        let target = own.ancestors().nth(3).unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "build",
            "--quiet",
            "--package",
            "labrys-runtime",
            "--target-dir",
        ]);
        cargo.arg(target).current_dir(env!("CARGO_MANIFEST_DIR"));
        if own.ancestors().nth(2).unwrap().ends_with("release") {
            cargo.arg("--release");
        }
        assert!(
            cargo.status().unwrap().success(),
            "the runtime does not build"
        );
    });
}
