//! The instrumentation: frozen bitcode in, bitcode that records its decisions out.
//!
//! Beside every value of at most 128 bits runs its *label*, a `u32` that names a node of the
//! run's node table (0: concrete). Straight-line calls of small inlined helpers (`c/inline.c`)
//! compute labels and report decisions; the pass never splits a block itself.
//!
//! Steps: number the sites; redirect modelled library functions; link helpers and library
//! models; give every switch edge a block of its own; instrument each function in reverse
//! postorder, shadow phis last; drop what is unused.
//!
//! Invariant: the instrumented program computes what the frozen program computes; site ids are
//! those of [`sites`](crate::sites) on the frozen bitcode, those of models follow.

mod calls;
mod function;
mod helpers;
mod intrinsics;
mod memory;
mod operations;
mod redirect;
mod variadic;

pub(crate) use redirect::repeat;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::coverage;
use crate::llvm::{LLVMLinkage, LLVMOpcode, LlvmError, Module, Value};
use crate::marked;
use crate::sites::sites;
use function::FunctionPass;
use helpers::Helpers;

static INLINE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/inline.bc"));
static MODELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/models.bc"));

/// Prefix of everything that the instrumentation adds to a program.
const PREFIX: &str = "__labrys_";
/// Prefix of library models in C.
const MODEL_PREFIX: &str = "__labrys_m_";
/// Prefix of library models in the runtime.
const WRAPPER_PREFIX: &str = "__labrys_w_";
/// Branch number of sites that count in no coverage.
const UNCOUNTED: u32 = u32::MAX;

/// Everything about a module that the work on one function needs.
struct Pass<'m> {
    module: &'m Module,
    helpers: Helpers<'m>,
    /// Site id and first branch by deciding instruction.
    sites: HashMap<Value<'m>, (u32, u32)>,
    /// The deciding instructions of oracle sites.
    checks: HashSet<Value<'m>>,
    /// Index in the program picture by function.
    functions: HashMap<Value<'m>, u32>,
    /// Row in the table of functions that are marked as pure, by function.
    marked: HashMap<Value<'m>, u32>,
}

/// Instruments frozen bitcode.
///
/// # Errors
/// The input is not bitcode of LLVM 19, or (our bug) the result is not well-formed.
pub fn instrument(frozen: &Path, out: &Path) -> Result<(), LlvmError> {
    let mut module = Module::read(frozen)?;
    let numbers = Numbers::of(&module);
    redirect::redirect(&module);
    inline_plain_leaves(&mut module)?;
    module.link_bytes(INLINE, "inline helpers")?;
    module.link_bytes(MODELS, "library models")?;
    module.run_passes("function(break-crit-edges)")?;
    instrument_linked(&module, &numbers);
    for function in module.functions() {
        if function.name().starts_with(MODEL_PREFIX) {
            function.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        }
    }
    module.run_passes("globaldce")?;
    module
        .verify()
        .map_err(|e| LlvmError(format!("the instrumented module is not well-formed: {e}")))?;
    module.write(out)
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

/// Instructions of a function that is inlined before the instrumentation, at most.
const LARGEST_LEAF: usize = 40;

/// Inlines small functions that neither decide nor call: a call costs more than they do, and
/// nothing in them has a number. No other function is inlined: its sites would be doubled.
fn inline_plain_leaves(module: &mut Module) -> Result<(), LlvmError> {
    for function in module.functions() {
        if is_plain_leaf(module, function) {
            module.add_attribute(function, "alwaysinline", 0);
        } else {
            module.remove_attribute(function, "alwaysinline");
        }
    }
    module.run_passes("always-inline")
}

fn is_plain_leaf(module: &Module, function: Value<'_>) -> bool {
    let blocks = function.blocks();
    let [block] = blocks.as_slice() else {
        return false;
    };
    let instructions = block.instructions();
    let plain = instructions.iter().all(|i| match i.opcode() {
        LLVMOpcode::LLVMCall => i.called().name().starts_with("llvm."),
        LLVMOpcode::LLVMSelect | LLVMOpcode::LLVMAlloca => false,
        _ => true,
    });
    let refused = marked::is_marked(module, function)
        || ["noinline", "optnone"]
            .iter()
            .any(|a| module.has_attribute(function, a));
    plain && !refused && instructions.len() <= LARGEST_LEAF
}

/// Instruments a module into which helpers and models were linked. The sites and functions that
/// `numbers` counts are the program's.
fn instrument_linked(module: &Module, numbers: &Numbers) {
    let counted = numbers.sites;
    let mut branches = 0;
    let mut table = HashMap::new();
    let mut checks = HashSet::new();
    for (id, decision) in sites(module).iter().enumerate() {
        let first = if id < counted { branches } else { UNCOUNTED };
        if id < counted {
            branches += decision.kind.directions();
        }
        table.insert(decision.instruction, (id as u32, first));
        if decision.oracle {
            checks.insert(decision.instruction);
        }
    }
    let functions = module.functions();
    let pass = Pass {
        module,
        helpers: Helpers::new(module),
        sites: table,
        checks,
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
        if function.is_declaration() || (name.starts_with(PREFIX) && !model) {
            continue;
        }
        FunctionPass::run(&pass, *function, model);
    }
    helpers::describe_slow_paths(module);
    coverage::define(module, branches);
    memory::define_globals(module);
    marked::define_table(module);
}
