//! The instrumentation: frozen bitcode in, bitcode that records its decisions out.
//!
//! Beside every value of at most 128 bits runs its *label*, a `u32` that names a node of the
//! run's node table (0: concrete). Straight-line calls of small inlined helpers (`c/inline.c`)
//! compute labels and report decisions.
//!
//! Steps: number the sites; redirect modelled library functions; lead pointers to others
//! through functions of the program (`through`); link library models; mark the
//! sites, drop models that are not used, optimize (`markers`); link the helpers; instrument each
//! function, both its versions (`versions`); drop what is unused.
//!
//! Invariant: the instrumented program computes what the frozen program computes; site ids are
//! those of [`sites`](labrys_lower::sites) on the frozen bitcode, those of models follow.

mod ahead;
mod calls;
mod external;
mod function;
mod helpers;
mod intrinsics;
mod linear;
mod markers;
mod memory;
mod objects;
mod operations;
mod redirect;
mod regions;
mod sinks;
mod streams;
mod through;
mod variadic;
mod versions;

pub(crate) use redirect::repeat;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use labrys_library::MODEL_PREFIX;

use crate::coverage;
use function::FunctionPass;
use helpers::Helpers;
use labrys_llvm::{LLVMLinkage, LlvmError, Module, Value};
use labrys_lower::marked;
use labrys_lower::sites::sites;
use labrys_models::{INLINE, LIBRARY};

/// Prefix of everything that the instrumentation adds to a program.
const PREFIX: &str = "__labrys_";
/// Branch number of sites that count in no coverage.
const UNCOUNTED: u32 = u32::MAX;

/// Everything about a module that the work on one function needs.
struct Pass<'m> {
    module: &'m Module,
    helpers: Helpers<'m>,
    /// Index in the program picture by function.
    functions: HashMap<Value<'m>, u32>,
    /// Constants that hold names of functions.
    names: RefCell<HashMap<String, Value<'m>>>,
    /// Row in the table of functions that are marked as pure, by function.
    marked: HashMap<Value<'m>, u32>,
}

impl<'m> Pass<'m> {
    /// A constant that holds the name of a function.
    fn name_of(&self, function: &str) -> Value<'m> {
        let mut names = self.names.borrow_mut();
        if let Some(known) = names.get(function) {
            return *known;
        }
        let text = self.module.define_string(function);
        names.insert(function.to_owned(), text);
        text
    }
}

/// Instruments frozen bitcode.
///
/// # Errors
/// The input is not bitcode of LLVM 19, or (our bug) the result is not well-formed.
pub fn instrument(frozen: &Path, out: &Path) -> Result<(), LlvmError> {
    let mut module = Module::read(frozen)?;
    let numbers = Numbers::of(&module);
    // Places in the source are those of the program picture, stacks those of the checked build.
    module.strip_debug();
    streams::link(&mut module)?;
    redirect::redirect(&module);
    through::lead(&module);
    module.link_bytes(LIBRARY, "library models")?;
    // Each edge of a switch gets a block of its own.
    module.run_passes("function(break-crit-edges)")?;
    let branches = markers::insert(&module, &numbers);
    set_linkage_of_models(&module, LLVMLinkage::LLVMInternalLinkage);
    module.run_passes("globaldce")?;
    // LLVM inlines an internal function into its only caller, however large it is.
    set_linkage_of_models(&module, LLVMLinkage::LLVMExternalLinkage);
    markers::optimize(&mut module)?;
    versions::move_to_variables(&mut module)?;
    objects::align(&module);
    module.link_bytes(INLINE, "inline helpers")?;
    instrument_linked(&module, &numbers, branches);
    set_linkage_of_models(&module, LLVMLinkage::LLVMInternalLinkage);
    module.run_passes("globaldce")?;
    module
        .verify()
        .map_err(|e| LlvmError(format!("the instrumented module is not well-formed: {e}")))?;
    module.write(out)
}

fn set_linkage_of_models(module: &Module, linkage: LLVMLinkage) {
    for function in module.functions() {
        if function.name().starts_with(MODEL_PREFIX) && !function.is_declaration() {
            function.set_linkage(linkage);
        }
    }
}

/// What must be known of the frozen module before anything is changed.
struct Numbers {
    sites: usize,
    /// Index in the program picture by name.
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
    let pass = Pass {
        module,
        helpers: Helpers::new(module),
        functions: functions
            .iter()
            .filter_map(|f| Some((*f, *numbers.functions.get(&f.name())?)))
            .collect(),
        names: RefCell::default(),
        marked: marked::marked(module).into_iter().zip(0..).collect(),
    };
    // Helpers are not instrumented; models are, and keep the library's functions.
    for function in &functions {
        let name = function.name();
        let model = name.starts_with(MODEL_PREFIX);
        if function.is_declaration() || (name.starts_with(PREFIX) && !model) {
            continue;
        }
        FunctionPass::run(&pass, *function, model);
    }
    markers::sweep(module);
    helpers::describe_slow_paths(module);
    coverage::define(module, branches);
    memory::define_globals(module);
    marked::define_table(module);
}
