//! Models of library functions: one object holds all of them, instrumented, for whatever program.
//!
//! That object is made once ([`instrument_models`]), not with each program: in a small program the
//! models would be most of the code. What the inliner takes for small becomes a part of the
//! program's functions all the same ([`link`]); the program refers to the rest.
//!
//! Law: a decision of a model has the same number wherever its code is. The sites of models are
//! numbered from [`MODEL_SITE`](labrys_abi::MODEL_SITE) on, in the order of the library alone.

use std::path::Path;

use labrys_library::MODEL_PREFIX;
use labrys_llvm::{Block, LLVMLinkage, LlvmError, Module, Value};
use labrys_models::{INLINE, LIBRARY};

use super::{Numbers, PREFIX, announce, finish, instrument_functions, markers, objects, slots};

/// Prefix of functions that only models call.
const INNER_PREFIX: &str = "__labrys_i_";
/// What names of variables of models end with.
const SUFFIX: &str = ".model.labrys";
/// Functions of more instructions than this, before they are optimized, are never a part of their
/// callers.
const SMALL: usize = 60;

/// Whether a function is a model or a part of one.
pub(super) fn is_part(name: &str) -> bool {
    name.starts_with(MODEL_PREFIX) || name.starts_with(INNER_PREFIX)
}

/// Writes the instrumented bitcode of all models.
///
/// # Errors
/// The models are not bitcode of LLVM 19, or (our bug) the result is not well-formed.
pub fn instrument_models(out: &Path) -> Result<(), LlvmError> {
    let mut module = marked()?;
    markers::optimize(&mut module)?;
    slots::move_to_slots(&mut module)?;
    objects::align(&module);
    module.link_bytes(INLINE, "inline helpers")?;
    instrument_functions(&module, &Numbers::of_models());
    announce::list_globals(&module, "__labrys_globals_of_models");
    finish(&mut module)?;
    module.write(out)
}

/// Links the small models, with markers, and declares the others.
pub(super) fn link(module: &mut Module) -> Result<(), LlvmError> {
    let mut models = marked()?;
    leave_to_object(definitions(&models).filter(|one| is_large(*one)));
    leave(&mut models)?;
    leave_to_object(definitions(&models));
    module.link_bytes(&models.to_bytes(), "library models")
}

/// Makes declarations of the models that were linked: their object has them.
pub(super) fn leave(module: &mut Module) -> Result<(), LlvmError> {
    module.run_passes("elim-avail-extern")
}

/// The models with markers; all that they define has a name by which programs find it.
fn marked() -> Result<Module, LlvmError> {
    let mut module = Module::from_bytes(LIBRARY, "library models")?;
    for (number, definition) in definitions(&module).enumerate() {
        let name = definition.name();
        if definition.is_function() && !name.starts_with(PREFIX) {
            definition.rename(&format!("{INNER_PREFIX}{name}"));
        } else if definition.is_variable() {
            definition.rename(&format!("{name}.{number}{SUFFIX}"));
        }
        definition.set_linkage(LLVMLinkage::LLVMExternalLinkage);
        definition.hide();
    }
    markers::insert(&mut module, &Numbers::of_models())?;
    Ok(module)
}

/// The functions and variables that a module defines.
fn definitions(module: &Module) -> impl Iterator<Item = Value<'_>> {
    let all = module.functions().into_iter().chain(module.globals());
    all.filter(|value| !value.is_declaration())
}

fn is_large(definition: Value<'_>) -> bool {
    let blocks = definition.is_function().then(|| definition.blocks());
    let instructions = blocks.into_iter().flatten().flat_map(Block::instructions);
    instructions.count() > SMALL
}

/// Says that the object defines these, so that their code here is only there to be inlined.
fn leave_to_object<'m>(definitions: impl Iterator<Item = Value<'m>>) {
    for definition in definitions {
        definition.set_linkage(LLVMLinkage::LLVMAvailableExternallyLinkage);
    }
}
