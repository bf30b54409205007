//! Helpers that are called. Inlined into code that nobody optimizes, they would be most of it, and
//! of a kind that the fast code generator does not know: lld took 29 s for SQLite, and takes 6.

use labrys_llvm::{LlvmError, Module};
use labrys_models::INLINE;

use super::PREFIX;
use crate::coverage;

/// Helpers that look at the frame of their caller.
const PART_OF_CALLER: [&str; 2] = ["frame", "variables"];

/// Has an instrumented module call its helpers, but for those that are part of their callers.
pub(super) fn call_helpers(module: &mut Module) -> Result<(), LlvmError> {
    // Those that nobody called as functions were dropped.
    module.link_bytes(INLINE, "helpers as functions")?;
    coverage::define_again(module);
    for helper in module.functions() {
        let name = helper.name();
        let stem = name
            .strip_prefix(PREFIX)
            .filter(|_| !helper.is_declaration());
        let Some(stem) = stem.filter(|_| helper.has_attribute("alwaysinline")) else {
            continue;
        };
        if let Some(far) = module.function(&format!("{PREFIX}far_{stem}")) {
            helper.replace_uses(far);
        } else if !PART_OF_CALLER.contains(&stem) {
            module.remove_attribute(helper, "alwaysinline");
            module.add_attribute(helper, "noinline", 0);
        }
    }
    module.run_passes("globaldce")
}
