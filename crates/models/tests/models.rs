//! The models of library functions against the functions themselves, natively, on thousands of
//! random and boundary inputs: results, what is written, ends, `errno`. The streams of C++ against
//! those of the library.

#![allow(missing_docs)]

use std::path::Path;
use std::process::Command;

/// Builds a program of `tests/models` and runs it on so many random inputs; what it printed.
fn run(driver: &Path, options: &[&str], sources: &[&str], inputs: &str) -> (bool, Vec<u8>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let clang = std::env::var("LABRYS_CLANG").unwrap_or_else(|_| "clang-19".into());
    let built = Command::new(clang)
        .args(options)
        .args(["-O1", "-w", "-fno-builtin", "-o"])
        .arg(driver)
        .args(sources.iter().map(|source| folder.join(source)))
        .arg("-lm")
        .status();
    assert!(built.expect("clang runs").success());
    let output = Command::new(driver).arg(inputs).output().expect("it runs");
    (output.status.success(), output.stdout)
}

#[test]
fn streams_read_what_the_library_reads() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let read = |name: &str, sources: &[&str]| {
        let (success, lines) = run(
            &folder.path().join(name),
            &["--driver-mode=g++"],
            sources,
            "5000",
        );
        assert!(success && lines.len() > 100_000);
        String::from_utf8_lossy(&lines).into_owned()
    };
    let library = read("library", &["tests/models/streams.cc"]);
    let models = read("models", &["tests/models/streams.cc", "c/streams.cc"]);
    for (library, model) in library.lines().zip(models.lines()) {
        assert_eq!(library, model);
    }
    assert_eq!(library.len(), models.len());
}

#[test]
fn models_do_what_the_library_does() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (success, words) = run(
        &folder.path().join("driver"),
        &["-std=gnu11"],
        &["tests/models/against_libc.c"],
        "20000",
    );
    assert!(success, "{}", String::from_utf8_lossy(&words));
}
