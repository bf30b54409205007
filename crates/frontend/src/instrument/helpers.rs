//! The helpers that instrumented code calls, by name, and the tables it carries.

use crate::llvm::{Builder, Module, Value};

use super::PREFIX;

/// Access to `c/inline.c`'s functions and to a few constants.
pub(super) struct Helpers<'m> {
    module: &'m Module,
    pub(super) builder: Builder<'m>,
}

impl<'m> Helpers<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Helpers {
            module,
            builder: module.builder(),
        }
    }

    /// Calls helper `name` at the builder's position.
    pub(super) fn call(&self, name: &str, arguments: &[Value<'m>]) -> Value<'m> {
        let function = self.module.function(&format!("{PREFIX}{name}"));
        let function = function.unwrap_or_else(|| panic!("c/inline.c lacks {name}"));
        self.builder.call(function, arguments)
    }

    pub(super) fn u32(&self, value: u32) -> Value<'m> {
        self.module.const_int(32, u64::from(value))
    }

    pub(super) fn u64(&self, value: u64) -> Value<'m> {
        self.module.const_int(64, value)
    }
}

/// Slow paths that write neither the program's memory nor its shadow.
const READ_ONLY: &[&str] = &[
    "load",
    "load_wide",
    "unary",
    "binary",
    "wide",
    "compare",
    "intrinsic",
    "ternary",
    "index",
    "offset",
    "branch",
    "check_site",
    "select",
    "switch",
    "param",
    "result",
    "call",
    "lost",
];

/// LLVM's encoding of `memory(read, inaccessiblemem: readwrite)`.
const READS_ONLY: u64 = 1 | 3 << 2 | 1 << 4;

/// Tells LLVM what slow paths cannot do, so that it keeps the program's values in registers
/// across them.
pub(super) fn describe_slow_paths(module: &Module) {
    for name in READ_ONLY {
        if let Some(function) = module.function(&format!("{PREFIX}slow_{name}")) {
            for attribute in ["nounwind", "willreturn", "nocallback", "cold"] {
                module.add_attribute(function, attribute, 0);
            }
            module.add_attribute(function, "memory", READS_ONLY);
        }
    }
}
