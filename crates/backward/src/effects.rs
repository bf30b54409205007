//! What calling a function may do, besides giving a result: a summary of its body and of all
//! that it may call.
//!
//! Law: code that is not in the picture may call back each function whose address is taken or
//! whose name is visible to it, so its effects include theirs.

use std::collections::BTreeSet;

use labrys_program::graph::CallGraph;
use labrys_program::{
    Callee, Function, FunctionId, GlobalId, Intrinsic, Operand, Operation, Program, Terminator,
    ValueId,
};
use labrys_semantics::{CallsBack, Library, calls_back, library};
use rustc_hash::FxHashMap;

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
    pub(crate) fn of(
        program: &Program,
        calls: &CallGraph,
        called_from_outside: &[bool],
    ) -> (Vec<Effects>, Effects) {
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
                if called_from_outside[index] {
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
        let before = self.measure();
        self.globals.extend(&other.globals);
        self.anywhere |= other.anywhere;
        self.stops |= other.stops;
        self.inputs |= other.inputs;
        self.unknown.extend(other.unknown.iter().cloned());
        self.repeats |= other.repeats || itself;
        self.errno |= other.errno;
        self.foreign |= other.foreign;
        self.measure() != before
    }

    /// Grows with the effects.
    fn measure(&self) -> (usize, usize, [bool; 6]) {
        let flags = [
            self.anywhere,
            self.stops,
            self.inputs,
            self.repeats,
            self.errno,
            self.foreign,
        ];
        (self.globals.len(), self.unknown.len(), flags)
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
            Some(
                Library::Harmless | Library::Reads | Library::Allocates { .. } | Library::Pure,
            ) => {
                effects.errno = true;
            }
            None => {
                effects.anywhere = true;
                effects.foreign = calls_back(name) == CallsBack::Anything;
                effects.errno = true;
                effects.unknown.insert(name.to_owned());
            }
        }
        effects
    }

    fn of_body(program: &Program, function: &Function) -> Effects {
        let mut effects = Effects::default();
        let definitions = definitions(function);
        let find = |value| definitions.get(&value).copied();
        for (id, block) in function.blocks() {
            for instruction in &block.instructions {
                effects.add(program, &find, &instruction.operation);
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

    pub(crate) fn add(&mut self, program: &Program, find: Find<'_, '_>, operation: &Operation) {
        match operation {
            Operation::Store { address, .. } => self.write(program, find, *address),
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } => {
                if intrinsic.writes_memory() {
                    match arguments.first() {
                        Some(to) => self.write(program, find, *to),
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
                    self.write(program, find, *to);
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

    fn write(&mut self, program: &Program, find: Find<'_, '_>, address: Operand) {
        match pointed(program, find, address, 32) {
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

/// What an address points into, as far as its computation shows.
pub(crate) enum Pointed {
    /// A stack object of the function.
    Own,
    Global(GlobalId),
    Anything,
}

/// Finds the operation that defines a value.
pub(crate) type Find<'a, 'f> = &'a dyn Fn(ValueId) -> Option<&'f Operation>;

/// Follows an address to its base.
pub(crate) fn pointed(
    program: &Program,
    find: Find<'_, '_>,
    address: Operand,
    depth: u32,
) -> Pointed {
    match address {
        Operand::Constant(id) => global_of(program, id).map_or(Pointed::Anything, Pointed::Global),
        Operand::Value(value) => match find(value) {
            Some(Operation::Allocate { .. }) => Pointed::Own,
            Some(Operation::Address { base, .. }) if depth > 0 => {
                pointed(program, find, *base, depth - 1)
            }
            _ => Pointed::Anything,
        },
    }
}

/// The stack object of the function that an address is in, as far as its computation shows.
pub(crate) fn base_object(find: Find<'_, '_>, address: Operand, depth: u32) -> Option<ValueId> {
    let Operand::Value(value) = address else {
        return None;
    };
    match find(value)? {
        Operation::Allocate { .. } => Some(value),
        Operation::Address { base, .. } if depth > 0 => base_object(find, *base, depth - 1),
        _ => None,
    }
}

fn definitions(function: &Function) -> FxHashMap<ValueId, &Operation> {
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    instructions
        .filter_map(|instruction| Some((instruction.result?, &instruction.operation)))
        .collect()
}
