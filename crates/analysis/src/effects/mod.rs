//! Effects: what a piece of code may do besides giving a result.
//!
//! Law: effects only name more than happens. Those of a function hold for its body and for all
//! that it may call.

mod block;
mod summaries;

use std::collections::BTreeSet;

use labrys_program::{Callee, Function, GlobalId, Intrinsic, Operand, Operation, Terminator};
use labrys_semantics::environment::is_surrounding;
use labrys_semantics::{CallsBack, LibraryMeaning, calls_back};

use crate::points_to::{Pointee, PointsTo};

pub use block::BlockEffects;
pub(crate) use summaries::EffectSummaries;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    globals: BTreeSet<GlobalId>,
    anywhere: bool,
    parameters: BTreeSet<usize>,
    streams: bool,
    stops: bool,
    inputs: bool,
    unknown: BTreeSet<String>,
    repeats: bool,
    errno: bool,
    foreign: bool,
}

/// Stands for functions without a name.
const UNKNOWN: &str = "a function that is not known";

impl Effects {
    /// Whether it may write a global by name.
    #[must_use]
    pub fn writes_global(&self, global: GlobalId) -> bool {
        self.globals.contains(&global)
    }

    /// The globals that it may write by name.
    #[must_use]
    pub fn written_globals(&self) -> &BTreeSet<GlobalId> {
        &self.globals
    }

    /// Whether it may write through pointers to all objects whose address is kept or passed on.
    #[must_use]
    pub fn writes_anywhere(&self) -> bool {
        self.anywhere
    }

    /// The parameters, by number, that it may write through.
    #[must_use]
    pub fn written_parameters(&self) -> &BTreeSet<usize> {
        &self.parameters
    }

    /// Whether it may write the library's memory of streams, where the program looks at that.
    #[must_use]
    pub fn writes_streams(&self) -> bool {
        self.streams
    }

    /// Whether it may set the error number of the C library.
    #[must_use]
    pub fn sets_errno(&self) -> bool {
        self.errno
    }

    /// Whether it may end the run or the function.
    #[must_use]
    pub fn may_stop(&self) -> bool {
        self.stops
    }

    /// Whether it may make input objects.
    #[must_use]
    pub fn makes_inputs(&self) -> bool {
        self.inputs
    }

    /// Library functions without a model that it may call, and operations without one.
    #[must_use]
    pub fn unknown(&self) -> &BTreeSet<String> {
        &self.unknown
    }

    /// Whether it has loops, or calls itself.
    #[must_use]
    pub fn may_repeat(&self) -> bool {
        self.repeats
    }

    /// Whether it runs code outside of the program.
    #[must_use]
    pub fn runs_outside_code(&self) -> bool {
        self.foreign
    }

    /// Adds the effects of other code; whether that changed anything.
    pub fn absorb(&mut self, other: &Effects) -> bool {
        let before = self.measure();
        self.globals.extend(&other.globals);
        self.anywhere |= other.anywhere;
        self.parameters.extend(&other.parameters);
        self.streams |= other.streams;
        self.stops |= other.stops;
        self.inputs |= other.inputs;
        self.unknown.extend(other.unknown.iter().cloned());
        self.repeats |= other.repeats;
        self.errno |= other.errno;
        self.foreign |= other.foreign;
        self.measure() != before
    }

    /// Grows with the effects.
    fn measure(&self) -> (usize, usize, usize, [bool; 7]) {
        let flags = [
            self.anywhere,
            self.streams,
            self.stops,
            self.inputs,
            self.repeats,
            self.errno,
            self.foreign,
        ];
        let (globals, parameters) = (self.globals.len(), self.parameters.len());
        (globals, parameters, self.unknown.len(), flags)
    }

    /// As seen where the arguments are not known: writes through parameters may go anywhere.
    #[must_use]
    pub fn at_unknown_arguments(&self) -> Effects {
        let mut effects = self.clone();
        effects.anywhere |= !effects.parameters.is_empty();
        effects.parameters.clear();
        effects
    }

    /// As seen from a caller that passes these arguments; none are known of a call by a pointer.
    pub(crate) fn at_call(
        &self,
        points_to: &PointsTo<'_>,
        arguments: Option<&[Operand]>,
    ) -> Effects {
        let Some(arguments) = arguments else {
            return self.at_unknown_arguments();
        };
        let mut effects = self.clone();
        for index in std::mem::take(&mut effects.parameters) {
            if let Some(argument) = arguments.get(index) {
                effects.write(points_to, *argument);
            }
        }
        effects
    }

    /// The effects of functions of the program that outside code calls: with the names of that
    /// code left out.
    fn called_back(&self) -> Effects {
        let mut effects = self.clone();
        effects.unknown.remove(UNKNOWN);
        effects
    }

    /// The effects of code of which nothing is known.
    fn of_outside_code() -> Effects {
        Effects::of_library(UNKNOWN, false, 0)
    }

    /// The effects of a library function by its name; no call has more arguments than `most`.
    fn of_library(name: &str, noreturn: bool, most: usize) -> Effects {
        let mut effects = Effects {
            stops: noreturn,
            ..Effects::default()
        };
        match LibraryMeaning::of(name) {
            Some(LibraryMeaning::InputObject(_)) => {
                effects.inputs = true;
                effects.parameters.insert(0);
            }
            Some(LibraryMeaning::Fills { row, .. }) => {
                effects.parameters.extend(row.written(most));
                effects.errno = true;
            }
            Some(LibraryMeaning::InputValue) => effects.inputs = true,
            Some(LibraryMeaning::Assume | LibraryMeaning::Stops) => effects.stops = true,
            Some(
                LibraryMeaning::Harmless { .. }
                | LibraryMeaning::Reads
                | LibraryMeaning::Allocates { .. }
                | LibraryMeaning::Pure,
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

    /// Those of a function that only sets the error number of the C library.
    #[must_use]
    pub fn of_error_number() -> Effects {
        Effects {
            errno: true,
            ..Effects::default()
        }
    }

    fn of_body(function: &Function, points_to: &PointsTo<'_>) -> Effects {
        let mut effects = Effects {
            // Definitions that stand for functions of the library do not say what these set.
            errno: is_surrounding(&function.name),
            ..Effects::default()
        };
        for (id, block) in function.blocks() {
            for instruction in &block.instructions {
                effects.add(points_to, &instruction.operation);
            }
            match &block.terminator {
                Terminator::Unreachable => effects.stops = true,
                Terminator::Opaque { reason, .. } if !reason.is_known_to_runs() => {
                    effects.unknown.insert(reason.to_string());
                }
                _ => {}
            }
            effects.repeats |= block.terminator.successors().iter().any(|to| *to <= id);
        }
        effects
    }

    /// Adds the effects of an operation.
    pub(crate) fn add(&mut self, points_to: &PointsTo<'_>, operation: &Operation) {
        match operation {
            Operation::Store { address, .. } => self.write(points_to, *address),
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } => {
                if intrinsic.writes_memory() {
                    match arguments.first() {
                        Some(to) => self.write(points_to, *to),
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
                if !reason.is_known_to_runs() {
                    self.unknown.insert(reason.to_string());
                }
            }
            // The call graph adds the callee's effects.
            Operation::Call {
                callee: Callee::Indirect(_),
                ..
            } => self.repeats = true,
            _ => {}
        }
    }

    fn write(&mut self, points_to: &PointsTo<'_>, address: Operand) {
        match points_to.pointee(address) {
            Pointee::OwnStack => {}
            Pointee::Global(id) => {
                self.globals.insert(id);
            }
            Pointee::Parameter(index) => {
                self.parameters.insert(index);
            }
            Pointee::Unknown => self.anywhere = true,
        }
    }
}
