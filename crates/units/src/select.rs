//! What a function can come to: variables that a driver may fill.

use labrys_llvm::{Module, Value};
use rustc_hash::FxHashSet;

use crate::prototype::is_plain;

/// Bytes of a variable that is worth an input.
const LARGEST: u64 = 256;

/// The variables that the code that a function can come to names, in the order of the program;
/// calls of `stubs` lead nowhere.
pub(crate) fn variables<'m>(
    module: &'m Module,
    function: Value<'m>,
    stubs: &[String],
) -> Vec<Value<'m>> {
    let mut seen: FxHashSet<Value<'m>> = FxHashSet::default();
    let mut open = vec![function];
    while let Some(value) = open.pop() {
        if !seen.insert(value) || stubs.contains(&value.name()) {
            continue;
        }
        if value.is_function() {
            let blocks = value.blocks().into_iter();
            for instruction in blocks.flat_map(|block| block.instructions()) {
                open.extend(
                    instruction
                        .operands()
                        .into_iter()
                        .filter(|one| one.is_constant()),
                );
            }
        } else if value.is_variable() {
            open.extend(value.initializer());
        } else {
            open.extend(value.operands().into_iter().filter(|one| one.is_constant()));
        }
    }
    let all = module.globals().into_iter();
    all.filter(|variable| seen.contains(variable)).collect()
}

/// Whether a driver may fill a variable: not constant, of a size that is not large, without
/// pointers.
pub(crate) fn is_fillable(module: &Module, variable: Value<'_>) -> bool {
    let ty = variable.global_type();
    let own = !variable.is_declaration() && !variable.is_constant_global();
    own && ty.is_sized()
        && (1..=LARGEST).contains(&module.size_of(ty))
        && is_plain(ty)
        && !variable.name().is_empty()
        && !variable.is_thread_local()
}

/// Whether the source has a variable under its name outside functions.
pub(crate) fn is_at_file_scope(variable: Value<'_>) -> bool {
    !variable.name().contains('.')
}
