//! What MemorySanitizer does not see of a program: what it does not see written looks uninitialized,
//! and failures would be none.

use std::path::Path;

use labrys_program::Program;

use crate::output::problem::Problem;

/// Whether all of a program, in this plain executable, writes what MemorySanitizer sees.
pub(crate) fn sees_all(name: &str, plain: &Path, program: &Program) -> Result<(), Problem> {
    let libraries = labrys_cc::container::libraries(plain).map_err(Problem::program)?;
    if let Some(other) = libraries.iter().find(|name| !is_known(name)) {
        return Err(Problem::program(format!(
            "--uninitialized: {name} is linked with {other}, and MemorySanitizer does not see what \
             that writes; leave the option out, or link the sources of the library with labrys-cc"
        )));
    }
    let mut functions = program.functions.iter().filter(|one| !one.defined);
    match functions.find(|one| is_fortified(&one.name)) {
        None => Ok(()),
        Some(one) => Err(Problem::program(format!(
            "--uninitialized: {name} calls {}, and MemorySanitizer does not see what that writes; \
             build it with -D_FORTIFY_SOURCE=0, or leave the option out",
            one.name
        ))),
    }
}

/// Whether MemorySanitizer knows what the functions of a library write.
fn is_known(library: &str) -> bool {
    let known = [
        "libc.",
        "libm.",
        "libdl.",
        "libpthread.",
        "librt.",
        "libgcc_s.",
        "ld-linux",
    ];
    known.iter().any(|start| library.starts_with(start))
}

/// Whether a function is what `_FORTIFY_SOURCE` puts for another one, to look at sizes.
fn is_fortified(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("_chk")
}
