//! Hints: intrinsics that tell the compiler something and do nothing in a run.

/// Whether calls of an intrinsic are left out of the static program model.
pub(crate) fn is_hint(name: &str) -> bool {
    const PREFIXES: [&str; 7] = [
        "llvm.dbg.",
        "llvm.lifetime.",
        "llvm.invariant.end",
        "llvm.experimental.noalias.scope.decl",
        "llvm.donothing",
        "llvm.sideeffect",
        "llvm.prefetch",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
