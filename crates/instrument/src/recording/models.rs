//! Models of library functions: one object holds all of them, instrumented, for whatever program.
//!
//! That object is made once ([`instrument_models`]), not with each program: in a small program the
//! models would be most of the code. What the inliner takes for small becomes a part of the
//! program's functions all the same ([`link`]); the program refers to the rest.
//!
//! Law: a decision of a model has the same number wherever its code is. The sites of models are
//! numbered from [`MODEL_SITE`](labrys_abi::MODEL_SITE) on, in the order of the library alone.

use std::collections::HashSet;
use std::path::Path;

use labrys_library::MODEL_PREFIX;
use labrys_llvm::{Block, LLVMLinkage, LLVMOpcode, LlvmError, Module, Value};
use labrys_models::{INLINE, LIBRARY};

use super::concrete::Concrete;
use super::{
    Numbers, PREFIX, announce, external, finish, instrument_functions, markers, objects, slots,
    write,
};

/// What names of variables of models end with.
const SUFFIX: &str = ".model.labrys";
/// Functions of more instructions than this, before they are optimized, are not a part of their
/// callers.
const SMALL: usize = 60;
/// How deep calls within a model are looked at.
const DEPTH: u32 = 4;

/// Writes the instrumented bitcode of all models, with helpers that are inlined and with helpers
/// that are called.
///
/// # Errors
/// The models are not bitcode of LLVM 19, or (our bug) the result is not well-formed.
pub fn instrument_models(inlined: Option<&Path>, called: Option<&Path>) -> Result<(), LlvmError> {
    let mut module = marked()?;
    markers::optimize(&mut module)?;
    slots::move_to_slots(&mut module)?;
    objects::align(&module);
    module.link_bytes(INLINE, "inline helpers")?;
    // Programs have parts of models, which write variables of these.
    let concrete = Concrete::of(&module, |_| false);
    instrument_functions(&module, &Numbers::of_models(), &concrete, true);
    announce::list_globals(&module, "__labrys_globals_of_models");
    finish(&mut module)?;
    write(module, inlined, called)
}

/// Links the small models, with markers, and declares the others. Tells the names of variables that
/// models have in common with programs, such as that of the next option.
pub(super) fn link(module: &mut Module) -> Result<HashSet<String>, LlvmError> {
    let mut models = marked()?;
    let variables_of_all = models.globals().into_iter();
    let shared = variables_of_all.filter(|variable| variable.is_declaration());
    let shared = shared.map(Value::name).collect();
    leave_to_object(models_of(&models).filter(|model| !may_be_inlined(*model, DEPTH)));
    leave(&mut models)?;
    // Parts of models that only the others had.
    models.run_passes("globaldce")?;
    leave_to_object(models_of(&models).chain(variables(&models)));
    module.link_bytes(&models.to_bytes(), "library models")?;
    Ok(shared)
}

/// Makes declarations of the models that were linked: their object has them.
pub(super) fn leave(module: &mut Module) -> Result<(), LlvmError> {
    module.run_passes("elim-avail-extern")
}

/// The models with markers; their variables have names by which programs find them.
fn marked() -> Result<Module, LlvmError> {
    let mut module = Module::from_bytes(LIBRARY, "library models")?;
    for (number, variable) in variables(&module).enumerate() {
        variable.rename(&format!("{}.{number}{SUFFIX}", variable.name()));
        variable.set_linkage(LLVMLinkage::LLVMExternalLinkage);
        variable.hide();
    }
    models_of(&module).for_each(Value::hide);
    markers::insert(&mut module, &Numbers::of_models())?;
    Ok(module)
}

/// The models that a module defines.
fn models_of(module: &Module) -> impl Iterator<Item = Value<'_>> {
    let functions = module.functions().into_iter();
    functions.filter(|one| !one.is_declaration() && one.name().starts_with(MODEL_PREFIX))
}

/// The variables that a module defines.
fn variables(module: &Module) -> impl Iterator<Item = Value<'_>> {
    let variables = module.globals().into_iter();
    variables.filter(|variable| !variable.is_declaration())
}

/// Whether a function is small, and gives nothing to functions of libraries: the instrumentation
/// counts as lost what functions of the program give them.
fn may_be_inlined(function: Value<'_>, depth: u32) -> bool {
    let blocks = function.blocks().into_iter();
    let instructions: Vec<_> = blocks
        .flat_map(Block::instructions)
        .take(SMALL + 1)
        .collect();
    let mut calls = instructions
        .iter()
        .filter(|i| i.opcode() == LLVMOpcode::LLVMCall);
    let loses_nothing = |call: &Value<'_>| {
        let (called, name) = (call.called(), call.called().name());
        let own = name.starts_with(PREFIX) || name.starts_with("llvm.");
        match own || called.is_declaration() {
            true => own || external::loses_nothing(&name),
            false => depth > 0 && may_be_inlined(called, depth - 1),
        }
    };
    instructions.len() <= SMALL && calls.all(loses_nothing)
}

/// Says that the object defines these, so that their code here is only there to be inlined.
fn leave_to_object<'m>(definitions: impl Iterator<Item = Value<'m>>) {
    for definition in definitions {
        definition.set_linkage(LLVMLinkage::LLVMAvailableExternallyLinkage);
    }
}
