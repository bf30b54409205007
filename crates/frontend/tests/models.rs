//! The models of library functions against the functions themselves, natively, on thousands of
//! random and boundary inputs: results, what is written, ends, `errno`.

#![allow(missing_docs)]

use std::path::Path;
use std::process::Command;

#[test]
fn models_do_what_the_library_does() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let driver = folder.path().join("driver");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/against_libc.c");
    let clang = std::env::var("LABRYS_CLANG").unwrap_or_else(|_| "clang-19".into());
    let built = Command::new(clang)
        .args(["-std=gnu11", "-O1", "-w", "-fno-builtin", "-o"])
        .arg(&driver)
        .arg(source)
        .arg("-lm")
        .status();
    assert!(built.expect("clang runs").success());
    let output = Command::new(driver).arg("20000").output().expect("it runs");
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}\n{words}", output.status);
}
