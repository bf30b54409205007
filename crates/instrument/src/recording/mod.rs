//! The instrumentation: frozen bitcode in, bitcode that records its decisions out.
//!
//! Beside every value of at most 128 bits runs its *label*, a `u32` that names a node of the
//! run's node table (0: concrete). Straight-line calls of small inlined helpers (`c/inline.c`)
//! compute labels and report decisions.
//!
//! Steps: number the sites; redirect library functions that have models, and pointers to others
//! ([`trampolines`]); link the models; mark the sites, drop models that are not used, optimize
//! ([`markers`]); link the helpers; instrument each function ([`function`]) in its versions
//! ([`versions`]); drop what is not used.
//!
//! Invariant: the instrumented program computes what the frozen program computes; site ids are
//! those of [`sites`](labrys_lower::sites) on the frozen bitcode, those of models follow.

mod announce;
mod calls;
mod clean_loops;
mod decisions;
mod early;
mod effects;
mod emit;
mod external;
mod function;
mod intrinsics;
mod labels;
mod linear;
mod markers;
mod memory;
mod objects;
mod operations;
mod redirect;
mod regions;
mod shape;
mod sinks;
mod slots;
mod slow_paths;
mod streams;
mod trampolines;
mod types;
mod variadic;
mod versions;
mod watch;

pub(crate) use redirect::repeat;

use std::collections::HashMap;
use std::path::Path;

use labrys_library::MODEL_PREFIX;

use crate::{coverage, large};
use calls::Callees;
use emit::Emitter;
use function::FunctionPass;
use labrys_llvm::{LLVMLinkage, LlvmError, Module, Value};
use labrys_lower::marked;
use labrys_lower::sites::sites;
use labrys_models::{INLINE, LIBRARY};

/// Prefix of everything that the instrumentation adds to a program.
const PREFIX: &str = "__labrys_";
/// Branch number of sites that count in no coverage.
const UNCOUNTED: u32 = u32::MAX;
/// Result labels passed back per call.
const MAX_RESULTS: usize = 8;

/// Instruments frozen bitcode. Large functions go to a file of their own; tells whether there are
/// any.
///
/// # Errors
/// The input is not bitcode of LLVM 19, or (our bug) the result is not well-formed.
pub fn instrument(frozen: &Path, out: &Path, apart: &Path) -> Result<bool, LlvmError> {
    let mut module = Module::read(frozen)?;
    let numbers = Numbers::of(&module);
    large::mark(&module);
    // Places in the source are those of the static program model, stacks those of the checked build.
    module.strip_debug();
    streams::link(&mut module)?;
    early::mark(&module);
    let redirected = redirect::redirect(&module);
    early::restore(&module, &redirected);
    trampolines::insert(&module);
    module.link_bytes(LIBRARY, "library models")?;
    // Each edge of a switch gets a block of its own.
    module.run_passes("function(break-crit-edges)")?;
    let branches = markers::insert(&module, &numbers);
    set_linkage_of_models(&module, LLVMLinkage::LLVMInternalLinkage);
    module.run_passes("globaldce")?;
    // LLVM inlines an internal function into its only caller, however large it is.
    set_linkage_of_models(&module, LLVMLinkage::LLVMExternalLinkage);
    markers::optimize(&mut module)?;
    slots::move_to_slots(&mut module)?;
    objects::align(&module);
    module.link_bytes(INLINE, "inline helpers")?;
    instrument_linked(&module, &numbers, branches);
    set_linkage_of_models(&module, LLVMLinkage::LLVMInternalLinkage);
    module.run_passes("globaldce")?;
    module
        .verify()
        .map_err(|e| LlvmError(format!("the instrumented module is not well-formed: {e}")))?;
    large::write(&module, out, apart)
}

fn set_linkage_of_models(module: &Module, linkage: LLVMLinkage) {
    for function in module.functions() {
        if function.name().starts_with(MODEL_PREFIX) && !function.is_declaration() {
            function.set_linkage(linkage);
        }
    }
}

/// Numbers of the frozen module, taken before anything is changed.
struct Numbers {
    sites: usize,
    /// Index in the static program model by name.
    functions: HashMap<String, u32>,
}

impl Numbers {
    fn of(module: &Module) -> Self {
        let functions = module.functions();
        Numbers {
            sites: sites(module).len(),
            functions: functions.into_iter().map(Value::name).zip(0..).collect(),
        }
    }
}

/// Instruments a module with markers, into which helpers and models were linked.
fn instrument_linked(module: &Module, numbers: &Numbers, branches: u32) {
    let functions = module.functions();
    let emit = Emitter::new(module);
    let callees = Callees {
        functions: functions
            .iter()
            .filter_map(|f| Some((*f, *numbers.functions.get(&f.name())?)))
            .collect(),
        marked: marked::marked(module).into_iter().zip(0..).collect(),
    };
    // Helpers are not instrumented; models are, and keep the library's functions.
    for function in &functions {
        let name = function.name();
        let model = name.starts_with(MODEL_PREFIX);
        let early = early::is_early(module, *function);
        if function.is_declaration() || early || (name.starts_with(PREFIX) && !model) {
            continue;
        }
        FunctionPass::run(&emit, &callees, *function, model);
    }
    markers::sweep(module);
    slow_paths::describe(module);
    coverage::define(module, branches);
    announce::define_globals(module);
    marked::define_table(module);
}
