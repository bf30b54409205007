//! Links by which build systems ask what the system has, a few hundred for each package.
//!
//! Nobody tests the executable of such a link: it is linked as clang does it, with the linker
//! that real links get. Probes are recognized by the names that build systems reserve for them:
//! `conftest` and `conftstm` (autoconf, libtool), `cmTC_…` and the files that identify a compiler
//! (CMake), `meson-private` (Meson).
//!
//! Invariant: a link with one input of another name is no probe.

use std::ffi::OsStr;
use std::path::{Component, Path};

use crate::arguments::Invocation;

/// Whether everything that a link takes is part of a probe.
pub(crate) fn is_probe(invocation: &Invocation) -> bool {
    let mut inputs = invocation.inputs.iter();
    !invocation.inputs.is_empty() && inputs.all(|input| is_of_probe(&input.path))
}

fn is_of_probe(path: &Path) -> bool {
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    if matches!(
        stem,
        "conftest" | "conftstm" | "CMakeCCompilerId" | "CMakeCXXCompilerId"
    ) {
        return true;
    }
    path.components().any(|component| match component {
        Component::Normal(name) => {
            let name = name.to_string_lossy();
            name == "meson-private" || name.starts_with("cmTC_")
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::arguments::parse;

    fn probes(line: &str) -> bool {
        is_probe(&parse(line.split(' ').map(OsString::from).collect()).unwrap())
    }

    #[test]
    fn probes_are_told_from_programs() {
        let table = [
            ("-o conftest -g -O2 conftest.c -lm", true),
            ("conftest.cpp", true),
            ("conftest.o conftstm.o -o conftest", true),
            ("-shared -fPIC .libs/conftest.o -o libconftest.so", true),
            (
                "CMakeFiles/cmTC_f00.dir/testCCompiler.c.o -o cmTC_f00",
                true,
            ),
            ("CMakeCCompilerId.c", true),
            ("build/meson-private/tmpab/testfile.c -o output.exe", true),
            ("conftest.c helper.c -o conftest", false),
            ("-o conftest main.c", false),
            ("main.o -lconftest", false),
            ("-lm", false),
        ];
        for (line, expected) in table {
            assert_eq!(probes(line), expected, "{line}");
        }
    }
}
