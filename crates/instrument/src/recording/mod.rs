//! The instrumentation: frozen bitcode in, bitcode that records its decisions out.
//!
//! Beside every value of at most 128 bits runs its *label*, a `u32` that names a node of the
//! run's node table (0: concrete). Straight-line calls of small inlined helpers (`c/inline.c`)
//! compute labels and report decisions.
//!
//! Steps: number the sites; redirect library functions that have models, and pointers to others
//! ([`trampolines`]); mark the sites ([`markers`]); link the small [`models`], optimize, drop them;
//! link the helpers; instrument each function ([`function`]) in its versions ([`versions`]); drop
//! what is not used.
//!
//! Invariant: the instrumented program computes what the frozen program computes; site ids are
//! those of [`sites`](labrys_lower::sites) on the frozen bitcode.

mod announce;
mod calls;
mod clean_loops;
mod concrete;
mod decisions;
mod early;
mod effects;
mod emit;
mod external;
mod far;
mod function;
mod intrinsics;
mod join;
mod labels;
mod linear;
mod markers;
mod memory;
mod models;
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

pub use models::instrument_models;
pub(crate) use redirect::repeat;

use std::collections::HashMap;
use std::path::Path;

use labrys_abi::MODEL_SITE;
use labrys_library::MODEL_PREFIX;

use crate::{coverage, large};
use calls::Callees;
use concrete::Concrete;
use emit::Emitter;
use function::FunctionPass;
use labrys_llvm::{LlvmError, Module, Value};
use labrys_lower::marked;
use labrys_lower::sites::sites;
use labrys_models::INLINE;

/// Prefix of everything that the instrumentation adds to a program.
const PREFIX: &str = "__labrys_";
/// Branch number of sites that count in no coverage.
const UNCOUNTED: u32 = u32::MAX;

/// Where instrumented bitcode is written to.
#[derive(Clone, Copy, Debug)]
pub struct Outputs<'a> {
    /// Helpers are part of each caller: for code that is optimized.
    pub inlined: Option<&'a Path>,
    /// Helpers are called: for code that is not.
    pub called: Option<&'a Path>,
    /// Large functions, either way: where other functions are optimized and they are not. Without it
    /// they stay with the others.
    pub large: Option<&'a Path>,
}

/// Instruments frozen bitcode. Large functions go to a file of their own, if one is named; tells
/// whether there are any.
///
/// # Errors
/// The input is not bitcode of LLVM 19, or (our bug) the result is not well-formed.
pub fn instrument(frozen: &Path, outputs: Outputs<'_>) -> Result<bool, LlvmError> {
    instrument_paths(frozen, outputs, Paths::Apart)
}

/// Instruments frozen bitcode whose paths are joined where they can be ([`join`]), for code that is not
/// optimized.
///
/// # Errors
/// As [`instrument`].
pub fn instrument_joined(frozen: &Path, out: &Path) -> Result<(), LlvmError> {
    let outputs = Outputs {
        inlined: None,
        called: Some(out),
        large: None,
    };
    instrument_paths(frozen, outputs, Paths::Joined).map(drop)
}

/// Whether the paths of a program are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paths {
    Apart,
    Joined,
}

fn instrument_paths(frozen: &Path, outputs: Outputs<'_>, paths: Paths) -> Result<bool, LlvmError> {
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
    let branches = markers::insert(&mut module, &numbers)?;
    let shared = models::link(&mut module)?;
    // The streams of C++ that the program does not use.
    module.run_passes("globaldce")?;
    markers::optimize(&mut module)?;
    if paths == Paths::Joined {
        // Behind the inliner, so that small functions are no calls.
        join::join(&module);
    }
    models::leave(&mut module)?;
    slots::move_to_slots(&mut module)?;
    objects::align(&module);
    module.link_bytes(INLINE, "inline helpers")?;
    let concrete = Concrete::of(&module, |name| !shared.contains(name));
    instrument_functions(&module, &numbers, &concrete, false);
    coverage::define(&module, branches);
    announce::list_globals(&module, "__labrys_globals");
    announce::mark(&module);
    marked::define_table(&module);
    finish(&mut module)?;
    let is_apart = large::take_apart(&mut module, outputs.large)?;
    write(module, outputs.inlined, outputs.called)?;
    Ok(is_apart)
}

/// Writes an instrumented module.
fn write(
    mut module: Module,
    inlined: Option<&Path>,
    called: Option<&Path>,
) -> Result<(), LlvmError> {
    if let Some(inlined) = inlined {
        module.write(inlined)?;
    }
    if let Some(called) = called {
        far::call_helpers(&mut module)?;
        module.write(called)?;
    }
    Ok(())
}

/// Whether a function is one of those that instrumented code calls.
fn is_helper(name: &str) -> bool {
    name.starts_with(PREFIX) && !name.starts_with(MODEL_PREFIX)
}

/// Drops what is not used.
fn finish(module: &mut Module) -> Result<(), LlvmError> {
    module.run_passes("globaldce")?;
    module
        .verify()
        .map_err(|e| LlvmError(format!("the instrumented module is not well-formed: {e}")))
}

/// Numbers of the frozen module, taken before anything is changed.
struct Numbers {
    /// Of sites that count in coverage.
    sites: usize,
    /// Of the first site.
    first: u32,
    /// Index in the static program model by name.
    functions: HashMap<String, u32>,
}

impl Numbers {
    fn of(module: &Module) -> Self {
        let functions = module.functions();
        Numbers {
            sites: sites(module).len(),
            first: 0,
            functions: functions.into_iter().map(Value::name).zip(0..).collect(),
        }
    }

    /// Those of the models: none counts.
    fn of_models() -> Self {
        Numbers {
            sites: 0,
            first: MODEL_SITE,
            functions: HashMap::new(),
        }
    }
}

/// Instruments a module with markers, into which the helpers were linked: a program, or the models.
fn instrument_functions<'m>(
    module: &'m Module,
    numbers: &Numbers,
    concrete: &Concrete<'m>,
    are_models: bool,
) {
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
        let model = are_models || name.starts_with(MODEL_PREFIX);
        let early = early::is_early(module, *function);
        if function.is_declaration() || early || is_helper(&name) {
            continue;
        }
        FunctionPass::run(&emit, &callees, concrete, *function, model);
    }
    markers::sweep(module);
    slow_paths::describe(module);
}
