//! Objects whose address nobody else can have.
//!
//! Laws: a private object is accessed only through operands that are the object's address, or
//! offsets from it, in the same frame; a global that is not shared only through its own name.

use std::collections::BTreeMap;

use labrys_program::{
    Callee, Constant, ConstantId, Function, Linkage, Operand, Operation, Program, RelocationTarget,
    Type, ValueId,
};
use labrys_semantics::LibraryMeaning;
use rustc_hash::FxHashSet;

use crate::address::global_of;
use crate::formats::{self, Formats};

/// Those of `objects` that are private.
pub(crate) fn private_objects(
    program: &Program,
    formats: &Formats,
    function: &Function,
    objects: &FxHashSet<ValueId>,
) -> FxHashSet<ValueId> {
    let owners = owners(function, |operand| match operand {
        Operand::Value(value) => objects.get(&value).copied(),
        Operand::Constant(_) => None,
    });
    let mut private = objects.clone();
    let is_own = |value| objects.contains(&value) || owners.contains_key(&value);
    visit_escaping(program, formats, function, &is_own, &mut |operand| {
        if let Operand::Value(value) = operand {
            private.remove(&value);
            if let Some(object) = owners.get(&value) {
                private.remove(object);
            }
        }
    });
    private
}

/// By global: whether its address is kept or passed on.
pub(crate) fn shared_globals(program: &Program, formats: &Formats) -> Vec<bool> {
    // A name that is visible outside is used by code outside of the program (the library's
    // `getopt` writes the program's `optind`): links hide all other names.
    let mut shared: Vec<bool> = program
        .globals
        .iter()
        .map(|global| global.linkage != Linkage::Internal)
        .collect();
    for relocation in program.relocations() {
        if let RelocationTarget::Global(id, _) = relocation.target {
            shared[id.index()] = true;
        }
    }
    for function in &program.functions {
        let owners = owners(function, |operand| match operand {
            Operand::Constant(id) => global_of(program, id),
            Operand::Value(_) => None,
        });
        let is_own = |value| owners.contains_key(&value);
        visit_escaping(
            program,
            formats,
            function,
            &is_own,
            &mut |operand| match operand {
                Operand::Constant(id) => mark(program, id, &mut shared),
                Operand::Value(value) => {
                    if let Some(global) = owners.get(&value) {
                        shared[global.index()] = true;
                    }
                }
            },
        );
    }
    shared
}

/// The values that are addresses in an object, with the object.
fn owners<T: Copy>(
    function: &Function,
    object: impl Fn(Operand) -> Option<T>,
) -> BTreeMap<ValueId, T> {
    let mut owners: BTreeMap<ValueId, T> = BTreeMap::new();
    loop {
        let before = owners.len();
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Operation::Address { base, .. } = &instruction.operation else {
                continue;
            };
            let inherited = match base {
                Operand::Value(value) => owners.get(value).copied(),
                Operand::Constant(_) => None,
            };
            if let (Some(owner), Some(result)) = (object(*base).or(inherited), instruction.result) {
                owners.insert(result, owner);
            }
        }
        if owners.len() == before {
            return owners;
        }
    }
}

/// Calls `escapes` with each operand whose value may be kept or passed on as an address. Of the values
/// that `is_own` tells it is known of which object they are the address.
fn visit_escaping(
    program: &Program,
    formats: &Formats,
    function: &Function,
    is_own: &dyn Fn(ValueId) -> bool,
    escapes: &mut dyn FnMut(Operand),
) {
    for block in &function.blocks {
        for phi in &block.phis {
            phi.incoming
                .iter()
                .for_each(|(_, operand)| escapes(*operand));
        }
        for instruction in &block.instructions {
            match &instruction.operation {
                Operation::Compare { left, right, .. } => {
                    // What is equal to an address is one: an input can spell it.
                    let is_known = |operand: &Operand| match *operand {
                        Operand::Value(value) => is_own(value),
                        Operand::Constant(id) => is_name(program, id),
                    };
                    [(left, right), (right, left)]
                        .into_iter()
                        .filter(|(_, other)| !is_known(other))
                        .for_each(|(operand, _)| escapes(*operand));
                }
                operation => escaping_operands(program, formats, function, operation, escapes),
            }
        }
        block.terminator.visit_operands(escapes);
    }
}

fn escaping_operands(
    program: &Program,
    formats: &Formats,
    function: &Function,
    operation: &Operation,
    escapes: &mut dyn FnMut(Operand),
) {
    match operation {
        Operation::Load { .. } => {}
        Operation::Store { value, .. } => escapes(*value),
        Operation::Address { terms, .. } => terms.iter().for_each(|term| escapes(term.index)),
        Operation::Intrinsic {
            intrinsic,
            arguments,
        } if intrinsic.writes_memory() => {
            // Copies move bytes, not the addresses themselves.
            arguments.iter().skip(2).copied().for_each(escapes);
        }
        Operation::Call {
            callee: Callee::Direct(id),
            arguments,
            ..
        } if !keeps(program, formats, *id) => {
            // The library writes there or reads there, and does not keep the address; what it gets
            // as a number, or makes a text of, may come back.
            let told = formats::told(program, *id, arguments);
            let numbers = arguments.iter().filter(|argument| {
                program.operand_type(function, **argument) != Some(Type::Pointer)
            });
            told.into_iter().chain(numbers.copied()).for_each(escapes);
        }
        _ => operation.visit_operands(escapes),
    }
}

/// Whether a function may keep an address that it is given.
fn keeps(program: &Program, formats: &Formats, id: labrys_program::FunctionId) -> bool {
    let Some(called) = program.function(id) else {
        return true;
    };
    let forgets = match LibraryMeaning::of(&called.name) {
        Some(
            LibraryMeaning::InputObject(_)
            | LibraryMeaning::Harmless { .. }
            | LibraryMeaning::Assume
            | LibraryMeaning::Stops,
        ) => true,
        // What gives no address gives back no part of what it was given.
        Some(LibraryMeaning::Reads | LibraryMeaning::Fills { shares: false, .. }) => {
            called.result != Type::Pointer
        }
        _ => false,
    };
    // A format that is not known may have the function write there.
    called.defined || !forgets || formats.may_count(&called.name)
}

/// Whether a constant is null, or an address by its name.
fn is_name(program: &Program, id: ConstantId) -> bool {
    match program.constant(id) {
        Some(Constant::Null | Constant::Global(_) | Constant::Function(_)) => true,
        Some(Constant::Offset { base, .. }) => *base < id && is_name(program, *base),
        _ => false,
    }
}

fn mark(program: &Program, id: ConstantId, shared: &mut [bool]) {
    let Some(constant) = program.constant(id) else {
        return;
    };
    if let Constant::Global(global) = constant {
        shared[global.index()] = true;
    }
    for child in constant.children() {
        if child < id {
            mark(program, child, shared);
        }
    }
}
