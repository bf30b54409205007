//! Damaged executables: whatever byte is changed, the file is refused, or it does what it did.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use labrys_cc::Language;
use labrys_cc::container::{Container, ContainerError};

use crate::project::{Project, run};

const PROGRAM: &str = r#"
#include <stdio.h>
int main(int argc, char **argv) {
  puts(argc > 1 ? argv[1] : "nothing");
  return argc;
}
"#;

/// Changed bytes that are tried.
const CHANGES: usize = 400;

fn built(options: &str) -> Project {
    let project = Project::new(&[("main.c", PROGRAM)]);
    project.cc(&format!("@main.c {options} -o @program"));
    project
}

fn write(project: &Project, name: &str, bytes: &[u8]) {
    let path = project.path(name);
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn contents(container: &Container) -> [Option<&[u8]>; 4] {
    [
        Some(container.program_bytes()),
        Some(container.bitcode()),
        Some(container.plain()),
        container.checked(),
    ]
}

#[test]
fn no_changed_byte_goes_unnoticed() {
    let project = built("");
    let good = fs::read(project.path("program")).unwrap();
    let original = project.open("program");
    let expected = run(&project.path("program"), &["x"]);
    let mut random = fastrand::Rng::with_seed(1);
    let mut refused = 0;
    for change in 0..CHANGES {
        // The headers are small and hold the most; then, anywhere.
        let limit = if change < CHANGES / 4 {
            1024
        } else {
            good.len()
        };
        let mut bytes = good.clone();
        bytes[random.usize(..limit)] ^= 1 << random.u8(..8);
        write(&project, "changed", &bytes);
        match Container::open(&project.path("changed")) {
            Err(_) => refused += 1,
            Ok(container) => {
                assert_eq!(contents(&container), contents(&original));
                let output = run(&project.path("changed"), &["x"]);
                assert_eq!(output.stdout, expected.stdout);
                assert_eq!(output.status, expected.status);
            }
        }
    }
    // Names, symbols and padding may change.
    assert!(refused > CHANGES / 2, "{refused} of {CHANGES} refused");
}

#[test]
fn what_is_damaged_is_to_be_built_again() {
    let project = built("");
    let good = fs::read(project.path("program")).unwrap();
    let half = &good[..good.len() / 2];
    let mut later = good.clone();
    let middle = later.len() - later.len() / 4;
    later[middle] ^= 1;
    for bytes in [half, &good[..good.len() - 1], &later] {
        write(&project, "changed", bytes);
        let error = Container::open(&project.path("changed")).unwrap_err();
        assert!(matches!(error, ContainerError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("damaged: build it again"));
    }
}

#[test]
fn stripped_and_installed_executables_are_whole() {
    let project = built("-g -Wl,-rpath,/somewhere/to/build");
    let original = project.open("program");
    for tool in ["strip", "llvm-objcopy-19 --strip-debug", "objcopy -g"] {
        let (tool, options) = tool.split_once(' ').unwrap_or((tool, ""));
        project.tool("cp", "@program @stripped");
        project.tool(tool, &format!("{options} @stripped"));
        assert_eq!(
            contents(&project.open("stripped")),
            contents(&original),
            "{tool}"
        );
    }
    project.tool("cp", "@program @stripped");
    project.tool("llvm-strip-19", "@stripped");
    let error = Container::open(&project.path("stripped")).unwrap_err();
    assert!(error.to_string().contains("as llvm-strip does"), "{error}");
    let mut bytes = fs::read(project.path("program")).unwrap();
    let path = b"/somewhere/to/build";
    let at = bytes
        .windows(path.len())
        .position(|bytes| bytes == path)
        .unwrap();
    bytes[at..at + path.len()].copy_from_slice(b"/usr/lib\0\0\0\0\0\0\0\0\0\0\0");
    write(&project, "installed", &bytes);
    assert_eq!(contents(&project.open("installed")), contents(&original));
}

#[test]
fn objects_are_no_programs() {
    let project = Project::new(&[("main.c", PROGRAM)]);
    project.cc("-c @main.c -o @main.o");
    let error = Container::open(&project.path("main.o")).unwrap_err();
    assert!(error.to_string().contains("link it with labrys-cc first"));
}

#[test]
fn damaged_objects_are_refused_or_linked() {
    let project = Project::new(&[("main.c", PROGRAM)]);
    project.cc("-c @main.c -o @main.o");
    let good = fs::read(project.path("main.o")).unwrap();
    let mut random = fastrand::Rng::with_seed(2);
    for change in 0..24 {
        let mut bytes = good.clone();
        match change % 4 {
            0 => bytes.truncate(random.usize(..good.len())),
            1 => bytes[random.usize(..64)] ^= 1 << random.u8(..8),
            2 => {
                // The section table lies at the end.
                let at = good.len() - 1 - random.usize(..1024.min(good.len()));
                bytes[at] = random.u8(..);
            }
            _ => bytes[random.usize(..good.len())] ^= 1 << random.u8(..8),
        }
        write(&project, "damaged.o", &bytes);
        // Whatever it says, it comes back.
        let _ = project.compile(Language::C, "@damaged.o -o @damaged");
    }
}
