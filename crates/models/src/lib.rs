//! C sources that are linked into programs under test, compiled to bitcode when this crate is
//! built: models of library functions, harness functions of other tools, the helpers that
//! instrumented code calls; and the headers for users' programs.
//!
//! Invariant: nothing here knows LLVM or the program; a source is text and the bitcode of it.

/// The helpers that instrumented code calls, to be inlined (`c/inline.c`).
pub const INLINE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/inline.bc"));

/// Models of library functions (`c/models/`).
pub const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/models.bc"));

/// Models of the input streams of libstdc++ (`c/streams.cc`), as C++17 and as C++20 have them.
pub const STREAMS: [&[u8]; 2] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/streams17.bc")),
    include_bytes!(concat!(env!("OUT_DIR"), "/streams20.bc")),
];

/// Harness functions of other tools, in terms of those of Labrys (`c/foreign.c`).
pub const FOREIGN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/foreign.bc"));

/// The main function of a fuzz target (`c/fuzz.c`).
pub const FUZZ: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/fuzz.bc"));

/// Variables that stand before the program's (`c/guards.c`): AddressSanitizer notices what lies
/// behind a variable.
pub const GUARDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guards.bc"));

/// What a check of a value comes to in the checked build when it fails (`c/checks.c`).
pub const CHECKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/checks.bc"));

/// The headers of `include/`: name and text.
pub const HEADERS: &[(&str, &str)] = &[
    ("labrys.h", include_str!("../include/labrys.h")),
    ("klee/klee.h", include_str!("../include/klee/klee.h")),
    ("crest.h", include_str!("../include/crest.h")),
    (
        "c++/bits/basic_string.tcc",
        include_str!("../include/c++/bits/basic_string.tcc"),
    ),
];
