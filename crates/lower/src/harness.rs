//! Harnesses of other tools: what their functions mean in those of Labrys.
//!
//! A program that calls functions of KLEE, Test-Comp, CREST or CBMC, or that is a fuzz target,
//! leaves them undefined. Before freezing they get bodies:
//!
//! - functions of fixed meaning come from `c/foreign.c`;
//! - `__VERIFIER_nondet_TYPE` and `nondet_NAME` are made from the result type with which the
//!   program declares them;
//! - a program with `LLVMFuzzerTestOneInput` and no `main` gets that of `c/fuzz.c`.
//!
//! So every later stage sees only `labrys_symbolic`, `labrys_assume` and their kin.
//!
//! Invariant: no decision is added, and a function that the program defines stays as it is; only
//! that `reach_error` was called is noted in it, and that an assumption of a task failed.

use labrys_library::{Function, Mark, function as function_named, functions};
use labrys_llvm::{
    Block, Builder, LLVMLinkage, LLVMOpcode, LLVMTypeKind, LlvmError, Module, Type, Value,
};
use labrys_models::{FOREIGN, FUZZ};

/// The function of a fuzz target.
const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";

/// Types of input objects, numbered as in `labrys_abi::Event::aux`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bytes = 0,
    Unsigned = 1,
    Signed = 2,
    Float = 3,
    Boolean = 4,
    Pointer = 5,
}

/// What the names of Labrys's own harness functions begin with.
const OWN: &str = "labrys_";

/// Whether a program leaves harness functions undefined, so that no other compiler links it.
///
/// # Errors
/// Our own bitcode is not such (a bug).
pub fn is_harness(module: &Module) -> Result<bool, LlvmError> {
    if defines(module, FUZZ_TARGET) && !defines(module, "main") {
        return Ok(true);
    }
    let foreign = Module::outline(FOREIGN, "harness functions")?;
    let makes_value =
        |name: &str| function_named(name).is_some_and(|row| row.has(Mark::MakesValue));
    let mut functions = module.functions().into_iter();
    Ok(functions.any(|function| {
        let name = function.name();
        let is_known = || name.starts_with(OWN) || makes_value(&name) || defines(&foreign, &name);
        function.is_declaration() && is_known()
    }))
}

/// Gives the harness functions that a program leaves undefined their bodies.
///
/// # Errors
/// The program uses one of their names for something else.
pub(crate) fn complete(module: &mut Module) -> Result<(), LlvmError> {
    note_errors(module);
    note_assumptions(module);
    let target = defines(module, FUZZ_TARGET);
    if target && !defines(module, "main") {
        module.link_bytes(FUZZ, "the main function of a fuzz target")?;
    }
    make_values(module);
    link_foreign(module)
}

fn defines(module: &Module, name: &str) -> bool {
    defined(module, name).is_some()
}

/// Calls of the program's own error functions reach a target of that name.
fn note_errors(module: &Module) {
    let names = |mark| {
        let rows = functions().iter().filter(move |row| row.has(mark));
        rows.map(Function::name)
    };
    let Some(target) = names(Mark::Target).next() else {
        return;
    };
    for name in names(Mark::Failure).filter(|name| defines(module, name)) {
        let Some(function) = module.function(name) else {
            continue;
        };
        let first = function.blocks().first().map(|block| block.instructions());
        if let Some(first) = first.as_ref().and_then(|instructions| instructions.first()) {
            let builder = module.builder();
            builder.before(*first);
            let target = module.declare(target, module.void(), &[module.pointer()]);
            let _ = builder.call(target, &[module.define_string(name)]);
        }
    }
}

/// Where a task's own assumption would end the run as by a failure, it ends as at one of ours. What
/// other programs call so may be an assertion.
fn note_assumptions(module: &Module) {
    let makes_value =
        |f: &Value<'_>| function_named(&f.name()).is_some_and(|row| row.has(Mark::MakesValue));
    if !module.functions().iter().any(makes_value) {
        return;
    }
    let rows = functions().iter().filter(|row| row.has(Mark::Assumption));
    for function in rows.filter_map(|row| module.function(row.name())) {
        let blocks = function.blocks().into_iter();
        let instructions = blocks.flat_map(Block::instructions);
        let ends = |call: &Value<'_>| {
            call.opcode() == LLVMOpcode::LLVMCall
                && function_named(&call.called().name()).is_some_and(|row| row.has(Mark::NoReturn))
        };
        for call in instructions.filter(ends) {
            let builder = module.builder();
            builder.before(call);
            let assume = module.declare("labrys_assume", module.void(), &[module.int(32)]);
            let _ = builder.call(assume, &[module.const_int(32, 0)]);
        }
    }
}

/// Defines the functions that make values.
fn make_values(module: &Module) {
    for function in module.functions() {
        let name = function.name();
        let family = function_named(&name).filter(|row| row.has(Mark::MakesValue));
        let word = family.and_then(|family| family.rest_of(&name));
        let undefined = function.is_declaration() && function.is_used();
        if let Some(word) = word.filter(|_| undefined) {
            make_value(module, function, word);
        }
    }
}

fn make_value(module: &Module, function: Value<'_>, word: &str) {
    let ty = function.global_type().function_result();
    let Some(kind) = kind(module, function, ty, word) else {
        return;
    };
    // A truth value is a byte in memory.
    let stored = if kind == Kind::Boolean {
        module.int(8)
    } else {
        ty
    };
    let name = module.define_string(&function.name());
    function.forget_place();
    let builder = module.builder();
    builder.at_end(module.define_body(function));
    let object = builder.variable(stored);
    make_object(module, &builder, object, module.size_of(stored), name, kind);
    let mut value = builder.load(stored, object);
    if kind == Kind::Boolean {
        value = builder.cast(LLVMOpcode::LLVMTrunc, value, ty);
    }
    builder.ret(value);
}

fn make_object<'m>(
    module: &'m Module,
    builder: &Builder<'m>,
    object: Value<'m>,
    size: u64,
    name: Value<'m>,
    kind: Kind,
) {
    let (pointer, word) = (module.pointer(), module.int(64));
    let parameters = [pointer, word, pointer, module.int(32)];
    let function = module.declare("__labrys_object", module.void(), &parameters);
    let kind = module.const_int(32, kind as u64);
    let arguments = [object, module.const_int(64, size), name, kind];
    let _ = builder.call(function, &arguments);
}

/// What a value of this type is; `None` if there are no such values.
fn kind(module: &Module, function: Value<'_>, ty: Type<'_>, word: &str) -> Option<Kind> {
    let unsigned = word.starts_with(['u', 'U']) || word == "size_t" || word == "sector_t";
    Some(match ty.kind() {
        LLVMTypeKind::LLVMVoidTypeKind => return None,
        LLVMTypeKind::LLVMPointerTypeKind => Kind::Pointer,
        LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind => Kind::Float,
        LLVMTypeKind::LLVMIntegerTypeKind => match ty.int_width() {
            Some(1) => Kind::Boolean,
            _ if unsigned || module.returns_zero_extended(function) => Kind::Unsigned,
            _ => Kind::Signed,
        },
        _ => Kind::Bytes,
    })
}

/// Links the functions of fixed meaning that the program calls and does not define.
fn link_foreign(module: &mut Module) -> Result<(), LlvmError> {
    let names = |module: &Module, declared: bool| -> Vec<String> {
        let functions = module.functions().into_iter();
        let wanted = functions.filter(|f| f.is_declaration() == declared);
        wanted.map(Value::name).collect()
    };
    let wanted = names(module, true);
    let foreign = names(&Module::from_bytes(FOREIGN, "harness functions")?, false);
    if !foreign.iter().any(|name| wanted.contains(name)) {
        return Ok(());
    }
    let own: Vec<(String, LLVMLinkage)> = foreign
        .iter()
        .filter_map(|name| Some((name.clone(), defined(module, name)?.linkage())))
        .collect();
    // Linking renames what is internal where a name comes from both sides.
    for (name, _) in &own {
        set_linkage(module, name, LLVMLinkage::LLVMExternalLinkage);
    }
    module.link_bytes(FOREIGN, "harness functions")?;
    for (name, linkage) in &own {
        set_linkage(module, name, *linkage);
    }
    for name in foreign {
        if own.iter().any(|(own, _)| *own == name) {
            continue;
        }
        let Some(function) = module.function(&name) else {
            continue;
        };
        function.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        if !function.is_used() {
            function.delete_function();
        }
    }
    Ok(())
}

/// The function of a name, if the module defines it.
fn defined<'m>(module: &'m Module, name: &str) -> Option<Value<'m>> {
    let function = module.function(name)?;
    (!function.is_declaration()).then_some(function)
}

fn set_linkage(module: &Module, name: &str, linkage: LLVMLinkage) {
    if let Some(function) = module.function(name) {
        function.set_linkage(linkage);
    }
}
