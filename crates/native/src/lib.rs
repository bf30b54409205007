//! Machine code for the operations of expressions, made by Cranelift.
//!
//! Law: the code for an operation computes bit for bit what
//! [`Value::apply`](labrys_expr::Value::apply) does. Values of more than 64 bits have no code.
//!
//! Who compiles what with it: the solver's walk its objectives, `semantics` functions of the
//! program.

mod code;

use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};

pub use code::{Code, Word};

/// This machine as a target; `None` if it is none. `level` is Cranelift's `opt_level`.
#[must_use]
pub fn isa(level: &str) -> Option<OwnedTargetIsa> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", level),
        ("enable_verifier", "false"),
        ("unwind_info", "false"),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
    ] {
        flags.set(name, value).ok()?;
    }
    let native = cranelift_native::builder().ok()?;
    native.finish(settings::Flags::new(flags)).ok()
}
