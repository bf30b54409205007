//! What calling a function may do, besides giving a result: a summary of its body and of all
//! that it may call.
//!
//! Law: code that is not in the picture may call back each function whose address is taken or
//! whose name is visible to it, so its effects include theirs.

use std::collections::BTreeSet;

use labrys_program::graph::CallGraph;
use labrys_program::{
    Callee, Function, FunctionId, GlobalId, Intrinsic, Linkage, Operand, Operation, Program,
    Terminator, ValueId,
};
use labrys_semantics::{Library, library};

use crate::escape::global_of;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Globals that it writes by name.
    pub(crate) globals: BTreeSet<GlobalId>,
    /// Whether it writes through pointers that may point anywhere they could.
    pub(crate) anywhere: bool,
    /// Whether it may not return.
    pub(crate) stops: bool,
    /// Whether it makes input objects.
    pub(crate) inputs: bool,
    /// Library functions without a model that it calls, and operations without one.
    pub(crate) unknown: BTreeSet<String>,
    /// Whether it has loops, or calls itself.
    pub(crate) repeats: bool,
    /// Whether it may set the error number of the C library.
    pub(crate) errno: bool,
    /// Whether it runs code that is not in the picture.
    pub(crate) foreign: bool,
}

impl Effects {
    /// The effects of all functions, and of code that is not in the picture.
    pub(crate) fn of(program: &Program, calls: &CallGraph) -> (Vec<Effects>, Effects) {
        let mut outside = Effects::of_library(UNKNOWN, false);
        let mut all: Vec<Effects> = program
            .functions
            .iter()
            .map(|function| {
                if function.defined {
                    Effects::of_body(program, function)
                } else {
                    Effects::of_library(&function.name, function.noreturn)
                }
            })
            .collect();
        loop {
            let mut changed = false;
            for index in 0..program.functions.len() {
                for call in calls.calls_in(FunctionId::new(index)) {
                    for callee in calls.callees(call) {
                        let inner = all[callee.index()].clone();
                        changed |= all[index].absorb(&inner, callee.index() == index);
                    }
                    if call.open && calls.callees(call).is_empty() {
                        changed |= all[index].absorb(&outside, false);
                    }
                }
                if is_callable_from_outside(&program.functions[index]) {
                    changed |= outside.absorb(&all[index], false);
                }
                if all[index].foreign {
                    changed |= all[index].absorb(&outside.called_back(), false);
                }
            }
            if !changed {
                return (all, outside);
            }
        }
    }

    pub(crate) fn absorb(&mut self, other: &Effects, itself: bool) -> bool {
        let before = self.clone();
        self.globals.extend(&other.globals);
        self.anywhere |= other.anywhere;
        self.stops |= other.stops;
        self.inputs |= other.inputs;
        self.unknown.extend(other.unknown.iter().cloned());
        self.repeats |= other.repeats || itself;
        self.errno |= other.errno;
        self.foreign |= other.foreign;
        *self != before
    }

    /// What functions of the program do that code outside calls: with the names of that code left
    /// out.
    fn called_back(&self) -> Effects {
        let mut effects = self.clone();
        effects.unknown.remove(UNKNOWN);
        effects
    }

    pub(crate) fn of_library(name: &str, noreturn: bool) -> Effects {
        let mut effects = Effects {
            stops: noreturn,
            ..Effects::default()
        };
        match library(name) {
            Some(Library::InputObject(_)) => {
                effects.inputs = true;
                effects.anywhere = true;
            }
            Some(Library::InputValue) => effects.inputs = true,
            Some(Library::Assume | Library::Stops) => effects.stops = true,
            Some(Library::Harmless | Library::Allocates { .. } | Library::Pure) => {
                effects.errno = true;
            }
            None => {
                effects.anywhere = true;
                effects.foreign = true;
                effects.unknown.insert(name.to_owned());
            }
        }
        effects
    }

    fn of_body(program: &Program, function: &Function) -> Effects {
        let mut effects = Effects::default();
        for (id, block) in function.blocks() {
            for instruction in &block.instructions {
                effects.add(program, function, &instruction.operation);
            }
            match &block.terminator {
                Terminator::Unreachable => effects.stops = true,
                Terminator::Opaque { reason, .. } => {
                    effects.unknown.insert(reason.to_string());
                }
                _ => {}
            }
            effects.repeats |= block.terminator.successors().iter().any(|to| *to <= id);
        }
        effects
    }

    pub(crate) fn add(&mut self, program: &Program, function: &Function, operation: &Operation) {
        match operation {
            Operation::Store { address, .. } => self.write(program, function, *address),
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } => {
                if intrinsic.writes_memory() {
                    match arguments.first() {
                        Some(to) => self.write(program, function, *to),
                        None => self.anywhere = true,
                    }
                }
                let traps = [
                    Intrinsic::Trap,
                    Intrinsic::SanitizerTrap,
                    Intrinsic::DebugTrap,
                ];
                self.stops |= traps.contains(intrinsic);
            }
            Operation::VariableArgument(_) => self.anywhere = true,
            Operation::Opaque {
                reason,
                writes_memory,
                ..
            } => {
                self.anywhere |= *writes_memory;
                self.foreign |= *writes_memory;
                self.unknown.insert(reason.to_string());
            }
            // What a callee does is added by the call graph, but for what it is given to fill.
            Operation::Call {
                callee: Callee::Direct(id),
                arguments,
                ..
            } => {
                let name = program
                    .function(*id)
                    .map_or("", |called| called.name.as_str());
                if let (Some(Library::InputObject(_)), Some(to)) =
                    (library(name), arguments.first())
                {
                    self.write(program, function, *to);
                }
            }
            // What is called through a pointer is added by the call graph.
            Operation::Call {
                callee: Callee::Indirect(_),
                ..
            } => self.repeats = true,
            _ => {}
        }
    }

    fn write(&mut self, program: &Program, function: &Function, address: Operand) {
        match pointed(program, function, address, 32) {
            Pointed::Own => {}
            Pointed::Global(id) => {
                self.globals.insert(id);
            }
            Pointed::Anything => self.anywhere = true,
        }
    }
}

/// What stands for functions without a name.
const UNKNOWN: &str = "a function that is not known";

/// Whether code that is not in the picture may call a function.
pub(crate) fn is_callable_from_outside(function: &Function) -> bool {
    let visible = function.linkage != Linkage::Internal && function.name != "main";
    function.defined && (function.address_taken || visible)
}

/// What an address points into, as far as its computation shows.
pub(crate) enum Pointed {
    /// A stack object of the function.
    Own,
    Global(GlobalId),
    Anything,
}

/// Follows an address to its base.
pub(crate) fn pointed(
    program: &Program,
    function: &Function,
    address: Operand,
    depth: u32,
) -> Pointed {
    match address {
        Operand::Constant(id) => global_of(program, id).map_or(Pointed::Anything, Pointed::Global),
        Operand::Value(value) => match definition(function, value) {
            Some(Operation::Allocate { .. }) => Pointed::Own,
            Some(Operation::Address { base, .. }) if depth > 0 => {
                pointed(program, function, *base, depth - 1)
            }
            _ => Pointed::Anything,
        },
    }
}

/// The stack object of the function that an address is in, as far as its computation shows.
pub(crate) fn base_object(function: &Function, address: Operand, depth: u32) -> Option<ValueId> {
    let Operand::Value(value) = address else {
        return None;
    };
    match definition(function, value)? {
        Operation::Allocate { .. } => Some(value),
        Operation::Address { base, .. } if depth > 0 => base_object(function, *base, depth - 1),
        _ => None,
    }
}

fn definition(function: &Function, value: ValueId) -> Option<&Operation> {
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    let mut found = instructions.filter(|instruction| instruction.result == Some(value));
    found.next().map(|instruction| &instruction.operation)
}
