//! The checked build: the frozen program under AddressSanitizer, or under MemorySanitizer, to judge
//! failures by.
//!
//! It is made of the frozen bitcode and not of the sources once more, for three reasons: the
//! checks of undefined behavior, which only clang's front end can add, are in it already; a
//! failure is confirmed on the very program that was searched; and objects, archives and build
//! systems need no second pass. What the freezing passes removed, such as a load whose value is
//! not used, is found by neither build.
//!
//! Invariant: nothing is added that counts coverage or makes labels.

use std::fs;
use std::path::Path;

use crate::coverage;
use crate::recording::repeat;
use labrys_llvm::{LlvmError, Module};
use labrys_models::GUARDS;

const PROGRAM: &str = "the program";

/// Puts frozen bitcode under AddressSanitizer.
///
/// # Errors
/// The input is not bitcode of LLVM 19, or (our bug) the result is not well-formed.
pub fn add_checks(frozen: &Path, out: &Path) -> Result<(), LlvmError> {
    // The guards stand first; by the module's name reports say where a variable is defined.
    let mut module = Module::from_bytes(GUARDS, PROGRAM)?;
    let bitcode = fs::read(frozen).map_err(|e| LlvmError(format!("{}: {e}", frozen.display())))?;
    module.link_bytes(&bitcode, PROGRAM)?;
    prepare(&module, "sanitize_address");
    module.add_address_checks()?;
    finish(&module, out)
}

/// Puts frozen bitcode under MemorySanitizer.
///
/// # Errors
/// As those of [`add_checks`].
pub fn add_initialization_checks(frozen: &Path, out: &Path) -> Result<(), LlvmError> {
    let mut module = Module::read(frozen)?;
    prepare(&module, "sanitize_memory");
    module.add_initialization_checks()?;
    finish(&module, out)
}

/// Has the functions ask for a sanitizer.
fn prepare(module: &Module, sanitizer: &str) {
    for function in module.functions() {
        if function.is_declaration() || function.has_attribute("naked") {
            continue;
        }
        module.add_attribute(function, sanitizer, 0);
        // Stacks are to show every call.
        module.add_text_attribute(function, "disable-tail-calls", "true");
        module.add_text_attribute(function, "frame-pointer", "all");
    }
    repeat(module);
}

fn finish(module: &Module, out: &Path) -> Result<(), LlvmError> {
    coverage::define(module, 0);
    module
        .verify()
        .map_err(|e| LlvmError(format!("the checked module is not well-formed: {e}")))?;
    module.write(out)
}
