//! Freezing: from merged bitcode to the bitcode that is the reference for everything.
//!
//! Invariant: each decision of the source is still there, and the result means the same to
//! every later build: nothing in it is undefined that could be defined, and no call may be left
//! out.

use std::path::Path;

use labrys_library::{CallsBack, Mark, function, named};

use crate::classes;
use crate::harness;
use crate::marked::{self, MarkError};
use crate::promises;
use crate::surroundings::{self, Linking};
use crate::traps;
use crate::undefined;
use crate::unset;
use crate::vectors;
use crate::wrapped;
use labrys_llvm::{LLVMLinkage, LLVMOpcode, LLVMValueKind, LlvmError, Module, Value};

/// Make functions of the parts of C++ coroutines.
const COROUTINES: &str = "coro-early,cgscc(coro-split),coro-cleanup";

/// Add the calls that the program wants at both ends of its functions (`-finstrument-functions`,
/// `-pg`), which are added to machine code otherwise.
const ADD_CALLS: &str = "function(ee-instrument,ee-instrument<post-inline>)";

/// Leave to the library what is the library's (bodies in headers that no build need take), and make
/// SSA values of numbers and pointers.
const NUMBERS: &str = "elim-avail-extern,function(mem2reg)";

/// Make SSA values of the parts of other variables.
const PARTS: &str = "function(sroa)";

/// Drop what is plainly redundant, and keep decisions.
const REDUNDANT: &str = "function(early-cse,instsimplify)";

/// The same, with each access of memory.
const SIMPLE: &str = "function(instsimplify)";

/// Answer the questions that a program puts to its optimizer.
const ANSWER: &str = "function(lower-constant-intrinsics)";

/// Why bitcode cannot be frozen.
#[derive(Debug, thiserror::Error)]
pub enum FreezeError {
    /// It is not bitcode of LLVM 19, or the output cannot be written.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    /// A function is marked as pure that cannot be.
    #[error(transparent)]
    Marked(#[from] MarkError),
}

/// Freezes the bitcode of a program that is linked so; `pure` lists functions that are marked as
/// pure.
///
/// # Errors
/// The input is not bitcode of LLVM 19, the output cannot be written, or a function that is
/// marked as pure does not map numbers to a number.
pub fn freeze(
    merged: &Path,
    frozen: &Path,
    pure: &[String],
    linking: &Linking,
) -> Result<(), FreezeError> {
    let mut module = Module::read(merged)?;
    wrapped::resolve(&module, &linking.wrapped);
    harness::complete(&mut module)?;
    marked::mark(&module, pure)?;
    surroundings::define_status(&module);
    surroundings::note(&module, linking);
    surroundings::delay(&module);
    surroundings::keep_named(&module);
    let functions = module.functions();
    if functions
        .iter()
        .any(|one| one.has_attribute("presplitcoroutine"))
    {
        module.run_passes(COROUTINES)?;
    }
    keep_templates(&module);
    hide_templates(&module);
    module.run_passes(ADD_CALLS)?;
    // Before a pass may use that something is undefined, and again for what passes add.
    promises::take_back(&module);
    define_arithmetic(&module);
    define_null(&module);
    keep_definitions(&module);
    keep_calls(&module);
    let vectors = vectors::has_vectors(&module);
    if vectors {
        vectors::inline_wrappers(&mut module)?;
    }
    undefined::freeze_results(&module);
    unset::give_values(&module);
    module.run_passes(NUMBERS)?;
    unset::keep_left(&module);
    module.run_passes(PARTS)?;
    unset::end(&module);
    if vectors {
        vectors::take_apart(&mut module)?;
    }
    classes::spell_out(&module);
    keep_loads(&module);
    traps::tell_overflows(&module);
    traps::hide(&module);
    module.run_passes(redundant(&module))?;
    traps::show(&module);
    unset::free_values(&module);
    answer_constants(&mut module)?;
    define_arithmetic(&module);
    traps::separate(&module);
    Ok(module.write(frozen)?)
}

/// What drops what is redundant. Handlers of signals see each value of a variable, and change it.
fn redundant(module: &Module) -> &'static str {
    let functions = module.functions();
    let mut names = functions.iter().map(|function| function.name());
    let is_given_handlers = |name: String| {
        let row = function(&name);
        row.is_some_and(|row| row.calls_back() == CallsBack::Signals)
    };
    match names.any(is_given_handlers) {
        true => SIMPLE,
        false => REDUNDANT,
    }
}

/// Keeps the bodies of C++ functions that the library has as well (`std::string` is such a
/// template): in the program they are instrumented.
fn keep_templates(module: &Module) {
    for function in module.functions() {
        let elsewhere = function.linkage() == LLVMLinkage::LLVMAvailableExternallyLinkage;
        if elsewhere && function.name().starts_with("_Z") {
            function.set_linkage(LLVMLinkage::LLVMLinkOnceODRLinkage);
        }
    }
}

/// Keeps the C++ library from calling the program's bodies of functions that it has as well.
/// Otherwise what `std::getline` does inside the library would count as coverage of the program,
/// but not where it has a model.
fn hide_templates(module: &Module) {
    for function in module.functions() {
        let shared = matches!(
            function.linkage(),
            LLVMLinkage::LLVMLinkOnceODRLinkage | LLVMLinkage::LLVMWeakODRLinkage
        );
        if shared && !function.is_declaration() && is_standard(&function.name()) {
            function.hide();
        }
    }
}

/// Whether a mangled name lies in namespace `std`: abbreviations of its names begin with `S`.
fn is_standard(name: &str) -> bool {
    name.strip_prefix("_Z")
        .map(|rest| rest.trim_start_matches(['N', 'K', 'R', 'O']))
        .is_some_and(|rest| rest.starts_with('S'))
}

/// Fixes what `__builtin_constant_p` answers: yes for what is a constant by now. Otherwise each
/// build would answer by what it inlined, and they would take different paths.
///
/// The pass that does it answers `__builtin_object_size` as well, for which it is too early: the
/// question is asked in wrappers that have not been inlined. So it is hidden meanwhile.
fn answer_constants(module: &mut Module) -> Result<(), LlvmError> {
    const HIDDEN: &str = "labrys.";
    for function in module.functions() {
        if function.name().starts_with("llvm.objectsize.") {
            function.rename(&format!("{HIDDEN}{}", function.name()));
        }
    }
    module.run_passes(ANSWER)?;
    for function in module.functions() {
        if let Some(name) = function.name().strip_prefix(HIDDEN) {
            function.rename(name);
        }
    }
    Ok(())
}

/// Gives overflow and the like their machine meaning, so that every build of the frozen bitcode
/// computes the same where C leaves the result undefined.
fn define_arithmetic(module: &Module) {
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                instruction.clear_poison_flags();
            }
        }
    }
}

/// Keeps loads whose value nobody uses, which may fail like any other: those of the program's
/// pointers and of numbers, not of its variables.
fn keep_loads(module: &Module) {
    for function in module.functions() {
        for block in function.blocks() {
            let instructions = block.instructions().into_iter();
            let loads = instructions.filter(|i| i.opcode() == LLVMOpcode::LLVMLoad);
            for load in loads.filter(|load| load.users().is_empty()) {
                if !is_variable(load.operand(0)) {
                    load.set_volatile();
                }
            }
        }
    }
}

/// Whether an address is that of a variable, or of what has a name.
fn is_variable(address: Value<'_>) -> bool {
    if address.is_constant() {
        let is_expression = address.kind() == LLVMValueKind::LLVMConstantExprValueKind;
        let is_number = is_expression && address.const_opcode() == LLVMOpcode::LLVMIntToPtr;
        return !is_number && !address.is_null();
    }
    address.is_instruction() && address.opcode() == LLVMOpcode::LLVMAlloca
}

/// An access through a null pointer is an access like any other, which the processor refuses.
/// Otherwise LLVM takes it for unreachable, and builds differ in what they do instead of it.
fn define_null(module: &Module) {
    for function in module.functions() {
        if !function.is_declaration() {
            module.add_attribute(function, "null_pointer_is_valid", 0);
        }
    }
}

/// Keeps LLVM from taking functions of the program for the library's of the same name: calls of its
/// `memcmp` would become calls of `bcmp`, and calls of `printf` calls of its `puts`.
fn keep_definitions(module: &Module) {
    let functions = module.functions().into_iter();
    let defined: Vec<_> = functions.filter(|f| !f.is_declaration()).collect();
    let names = defined
        .iter()
        .filter(|f| f.linkage() != LLVMLinkage::LLVMInternalLinkage);
    let names = names
        .map(|f| f.name())
        .filter(|name| function(name).is_some() && may_be_known(name));
    let unknown: Vec<_> = names
        .map(|name| (format!("no-builtin-{name}"), name))
        .collect();
    for (_, name) in &unknown {
        if let Some(function) = module.function(name) {
            module.add_attribute(function, "nobuiltin", 0);
        }
    }
    for function in &defined {
        for (attribute, _) in &unknown {
            module.add_text_attribute(*function, attribute, "");
        }
    }
}

/// Whether LLVM may know a function by its name: not one of a harness or a driver, and of mangled
/// names operators alone, such as `new`. Drivers have hundreds of functions, a library of C++ has as
/// many with mangled names, and each would be noted at each.
fn may_be_known(name: &str) -> bool {
    let is_mangled = name.starts_with("_Z");
    let is_operator = name.starts_with("_Zn") || name.starts_with("_Zd");
    (is_operator || !is_mangled) && !name.trim_start_matches('_').starts_with("labrys_")
}

/// Removes what the compiler knows about the side effects of the program's functions, and what
/// the program says of them (`pure`, `const`): every call must be made, since coverage and labels
/// are side effects in the builds to come, and a function that is said to have none may have some.
/// LLVM leaves out blocks that are hardly used as if there had been memory for them, in some builds
/// and not in others.
fn keep_calls(module: &Module) {
    for function in module.functions() {
        if !function.is_declaration() {
            module.remove_attribute(function, "memory");
            module.remove_attribute(function, "willreturn");
        }
        module.remove_attribute(function, "allockind");
        for block in function.blocks() {
            let instructions = block.instructions().into_iter();
            let calls = instructions
                .filter(|i| matches!(i.opcode(), LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke));
            for call in calls.filter(|i| !i.called().name().starts_with("llvm.")) {
                module.remove_call_attribute(call, "memory");
                module.remove_call_attribute(call, "willreturn");
                if named(&call.called().name(), Mark::Allocator) {
                    module.add_call_attribute(call, "nobuiltin");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_standard;

    #[test]
    fn names_of_the_standard_library() {
        let table = [
            ("_ZNSt6vectorIiSaIiEE9push_backERKi", true),
            ("_ZNKRSt7__cxx1115basic_stringbufIcE3strEv", true),
            ("_ZNSirsERi", true),
            ("_ZSt7getlineIcE", true),
            ("_ZN5ShapeC2Ev", false),
            ("_Z5checkSt6vectorIiE", false),
            ("main", false),
        ];
        for (name, standard) in table {
            assert_eq!(is_standard(name), standard, "{name}");
        }
    }
}
