//! Attributes of the slow paths of the helpers of `c/inline.c`: LLVM keeps the program's values in
//! registers across calls of which it knows the effects.

use labrys_llvm::{Block, LLVMOpcode, Module, Value};

use super::PREFIX;

/// Slow paths that write neither the program's memory nor its shadow, but read them.
const READERS: &[&str] = &[
    "load",
    "load_wide",
    "ahead",
    "result",
    "lost",
    "taken",
    "given",
    "named",
    "reads",
    "descriptor",
];

/// Slow paths that need nothing but their arguments.
const RECORDERS: &[&str] = &[
    "unary",
    "binary",
    "wide",
    "compare",
    "intrinsic",
    "ternary",
    "index",
    "offset",
    "branch",
    "near",
    "check_site",
    "select",
    "switch",
    "call",
];

/// Slow paths that write shadow and nothing else.
const WRITERS: &[&str] = &["store", "copy", "fill"];

/// LLVM's encoding of `memory(inaccessiblemem: readwrite)`.
const INACCESSIBLE: u64 = 3 << 2;
/// LLVM's encoding of `memory(read, inaccessiblemem: readwrite)`.
const READS_ONLY: u64 = 1 | INACCESSIBLE | 1 << 4;

/// Tells LLVM what slow paths cannot do.
pub(super) fn describe(module: &Module) {
    let describe = |names: &[&str], memory: Option<u64>| {
        for name in names {
            let Some(function) = module.function(&format!("{PREFIX}slow_{name}")) else {
                continue;
            };
            for attribute in ["nounwind", "willreturn", "nocallback", "cold"] {
                module.add_attribute(function, attribute, 0);
            }
            if let Some(memory) = memory {
                module.add_attribute(function, "memory", memory);
            }
        }
    };
    describe(READERS, Some(READS_ONLY));
    describe(RECORDERS, Some(INACCESSIBLE));
    describe(WRITERS, None);
    separate_shadow(module);
}

/// Gives all that the helpers do with shadow one type that nothing in the program has: accesses
/// of one word, accesses of two, and the calls of the [`WRITERS`].
fn separate_shadow(module: &Module) {
    let helpers = module.functions().into_iter().filter(|function| {
        let name = function.name();
        let rest = name.strip_prefix(PREFIX).unwrap_or_default();
        let shadow = [
            "load",
            "store",
            "shadow",
            "flag",
            "unlabelled",
            "clear",
            "copy",
            "fill",
        ];
        shadow.iter().any(|stem| rest.starts_with(stem))
    });
    let instructions: Vec<_> = helpers
        .flat_map(Value::blocks)
        .flat_map(Block::instructions)
        .collect();
    let load = |i: &&Value<'_>| i.opcode() == LLVMOpcode::LLVMLoad;
    let Some(model) = instructions.iter().find(load) else {
        return;
    };
    for i in &instructions {
        let writer = i.opcode() == LLVMOpcode::LLVMCall && {
            let name = i.called().name();
            let slow = name
                .strip_prefix(PREFIX)
                .and_then(|n| n.strip_prefix("slow_"));
            slow.is_some_and(|name| WRITERS.contains(&name))
        };
        if writer || load(&i) {
            module.copy_alias_type(*model, *i);
        }
    }
}
