//! Large functions, which are compiled by linear means.
//!
//! LLVM's optimizer and its register allocator work on what is live between blocks, and
//! instrumented code has many blocks: their time grows with the square of a function's size. So a
//! function of more than [`LARGE`] instructions goes another way than all others. It has no
//! concrete version ([`versions`](crate::recording)), its values stay in variables between blocks,
//! only passes whose time is linear work on it, and it is compiled apart, with the
//! code generator for unoptimized code. Where no function is optimized none is taken apart.
//!
//! Law: what a function does is the same either way; which way it goes depends on its frozen form
//! alone.

use std::path::Path;

use labrys_llvm::{Block, LLVMLinkage, LLVMOpcode, LlvmError, Module, Value};

/// Frozen instructions beyond which a function is large: about a thousand lines of C.
const LARGE: usize = 4_000;
/// The attribute of functions that are called large: they run once, so that time in LLVM is lost.
const ONCE: &str = "labrys-once";
/// The attribute of functions whose selects between pointers decide nothing.
const PICKS: &str = "labrys-picks";
/// The attribute of large functions.
const MARK: &str = "labrys-large";
/// What names of symbols end with that only the module had before it was taken apart.
const SUFFIX: &str = ".labrys";
/// Variables that have a meaning for LLVM. They stay together, in the first module.
const SPECIAL: &str = "llvm.";

/// Passes on large functions while they have markers: no branch becomes arithmetic.
const MARKED: &str = "function(early-cse,instsimplify,\
    simplifycfg<no-speculate-blocks;no-simplify-cond-branch>,adce)";
/// Passes on the module of large functions.
const FINISH: &str = "always-inline,globaldce,function(early-cse,\
    instsimplify,simplifycfg,early-cse,adce)";

/// Marks the large functions of a frozen module.
pub(crate) fn mark(module: &Module) {
    let aliases = module.aliases();
    // What such a name stands for may be decided by the last link.
    let is_open = |alias: &Value<'_>| alias.linkage() == LLVMLinkage::LLVMWeakAnyLinkage;
    if !module.ifuncs().is_empty() || aliases.iter().any(is_open) {
        return;
    }
    let targets: Vec<_> = aliases.iter().filter_map(|a| a.aliased_object()).collect();
    for function in module.functions() {
        let is_wanted = module.has_text_attribute(function, ONCE) || has_many(function);
        if is_wanted && may_go_apart(function) && !targets.contains(&function) {
            module.add_text_attribute(function, MARK, "");
        }
    }
}

/// Says of a function of a frozen module that a run calls it once.
pub fn mark_once(module: &Module, function: Value<'_>) {
    module.add_text_attribute(function, ONCE, "");
}

/// Says of a function of a frozen module that its selects between pointers are values, which
/// decide nothing yet.
pub fn mark_picks(module: &Module, function: Value<'_>) {
    module.add_text_attribute(function, PICKS, "");
}

/// Whether a select of a function is such a value.
pub(crate) fn is_pick(module: &Module, function: Value<'_>, select: Value<'_>) -> bool {
    select.ty() == module.pointer() && module.has_text_attribute(function, PICKS)
}

/// Whether a function was found to be large.
pub(crate) fn is_large(module: &Module, function: Value<'_>) -> bool {
    module.has_text_attribute(function, MARK)
}

fn has_many(function: Value<'_>) -> bool {
    let blocks = function.blocks().into_iter();
    let instructions = blocks.flat_map(Block::instructions);
    let counted = instructions.filter(|i| {
        i.opcode() != LLVMOpcode::LLVMCall || !i.called().name().starts_with("llvm.dbg.")
    });
    counted.take(LARGE + 1).count() > LARGE
}

/// Whether nothing outside refers to the middle of a function.
fn may_go_apart(function: Value<'_>) -> bool {
    let blocks = function.blocks().into_iter();
    let mut ends = blocks.filter_map(Block::terminator);
    !ends.any(|end| {
        matches!(
            end.opcode(),
            LLVMOpcode::LLVMIndirectBr | LLVMOpcode::LLVMCallBr
        )
    })
}

/// Runs the passes of other functions on these, and on large ones those that take linear time.
pub(crate) fn optimize(module: &mut Module, passes: &str) -> Result<(), LlvmError> {
    let large: Vec<bool> = {
        let functions = module.functions().into_iter();
        functions.map(|f| is_large(module, f)).collect()
    };
    if !large.contains(&true) {
        return module.run_passes(passes);
    }
    leave_alone(module, |f| is_large(module, f));
    module.run_passes(passes)?;
    release(module);
    leave_alone(module, |f| !is_large(module, f));
    module.run_passes(MARKED)?;
    release(module);
    Ok(())
}

/// Passes leave these functions as they are.
fn leave_alone<'m>(module: &'m Module, which: impl Fn(Value<'m>) -> bool) {
    for function in module.functions() {
        if !function.is_declaration() && which(function) && !function.has_attribute("optnone") {
            // The one goes with the other only.
            if !function.has_attribute("noinline") && !function.has_attribute("alwaysinline") {
                module.add_attribute(function, "noinline", 0);
                module.add_text_attribute(function, ADDED, "");
            }
            if function.has_attribute("noinline") {
                module.add_attribute(function, "optnone", 0);
            }
        }
    }
}

/// The attribute of functions that may be inlined again.
const ADDED: &str = "labrys-left-alone";

fn release(module: &Module) {
    for function in module.functions() {
        module.remove_attribute(function, "optnone");
        if module.has_text_attribute(function, ADDED) {
            module.remove_attribute(function, "noinline");
            module.remove_text_attribute(function, ADDED);
        }
    }
}

/// Writes an instrumented module: its large functions, if there are any and a place is named for
/// them, to a module of their own. Tells whether it did.
pub(crate) fn write(
    mut module: Module,
    out: &Path,
    large: Option<&Path>,
) -> Result<bool, LlvmError> {
    let is_apart = take_apart(&mut module, large)?;
    module.write(out)?;
    Ok(is_apart)
}

/// Moves the large functions of an instrumented module, if there are any, to a file of their own, if
/// one is named. Tells whether it did.
pub(crate) fn take_apart(module: &mut Module, large: Option<&Path>) -> Result<bool, LlvmError> {
    let has_large = |_: &&Path| module.functions().iter().any(|f| is_large(module, *f));
    let Some(large) = large.filter(has_large) else {
        return Ok(false);
    };
    share(module);
    let bytes = module.to_bytes();
    let mut apart = Module::from_bytes(&bytes, "the large functions")?;
    keep(&mut apart, true)?;
    apart.run_passes(FINISH)?;
    apart.write(large)?;
    keep(module, false)?;
    Ok(true)
}

/// Whether a function is one of the small ones that are part of each caller.
fn is_helper(function: Value<'_>) -> bool {
    function.has_attribute("alwaysinline")
}

/// Gives each symbol of the module a name by which the other module finds it.
fn share(module: &Module) {
    let functions = module.functions().into_iter().filter(|f| !is_helper(*f));
    let variables = module.globals().into_iter();
    let variables = variables.filter(|v| !v.name().starts_with(SPECIAL));
    for (number, symbol) in functions.chain(variables).enumerate() {
        if symbol.is_declaration() {
            continue;
        }
        match symbol.linkage() {
            LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage => {
                symbol.rename(&format!("{}.{number}{SUFFIX}", symbol.name()));
                symbol.leave_group();
                symbol.set_linkage(LLVMLinkage::LLVMExternalLinkage);
                symbol.hide();
            }
            // What nothing in its module uses is to stay for the other.
            LLVMLinkage::LLVMLinkOnceAnyLinkage => {
                symbol.set_linkage(LLVMLinkage::LLVMWeakAnyLinkage);
            }
            LLVMLinkage::LLVMLinkOnceODRLinkage => {
                symbol.set_linkage(LLVMLinkage::LLVMWeakODRLinkage);
            }
            _ => {}
        }
    }
}

/// Makes declarations of what is defined in the other module.
fn keep(module: &mut Module, large: bool) -> Result<(), LlvmError> {
    for function in module.functions() {
        let here = is_helper(function) || is_large(module, function) == large;
        if !here && !function.is_declaration() {
            function.leave_group();
            function.set_linkage(LLVMLinkage::LLVMAvailableExternallyLinkage);
        }
    }
    if large {
        module.drop_assembly();
        for alias in module.aliases() {
            if let Some(aliasee) = alias.aliasee() {
                alias.replace_uses(aliasee);
                alias.set_linkage(LLVMLinkage::LLVMInternalLinkage);
            }
        }
    }
    if large {
        module.run_passes("globaldce")?;
        for variable in module.globals() {
            if variable.name().starts_with(SPECIAL) {
                variable.delete_global();
            } else if !variable.is_declaration() {
                variable.leave_group();
                variable.set_linkage(LLVMLinkage::LLVMAvailableExternallyLinkage);
            }
        }
    }
    module.run_passes("elim-avail-extern")
}
