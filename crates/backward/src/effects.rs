//! What calling a function may do, besides giving a result: a summary of its body and of all
//! that it may call.
//!
//! Law: code that is not in the picture may call back each function whose address is taken or
//! whose name is visible to it, so its effects include theirs.

use std::collections::BTreeSet;

use labrys_program::graph::{Call, CallGraph};
use labrys_program::{
    Callee, Function, FunctionId, GlobalId, Intrinsic, Operand, Operation, Program, Terminator,
};
use labrys_semantics::{CallsBack, Library, calls_back, library};

use crate::outside::calls_unknown;
use crate::pointed::{Pointed, Sources};

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Globals that it writes by name.
    pub(crate) globals: BTreeSet<GlobalId>,
    /// Whether it writes through pointers that may point anywhere they could.
    pub(crate) anywhere: bool,
    /// Parameters, by number, that it writes through.
    pub(crate) through: BTreeSet<usize>,
    /// Whether it may write what the library keeps of streams, where the program looks at that.
    pub(crate) streams: bool,
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
        sources: &[Sources<'_>],
        calls: &CallGraph,
        called_from_outside: &[bool],
    ) -> (Vec<Effects>, Effects) {
        let mut outside = Effects::of_library(UNKNOWN, false, 0);
        let most = most_arguments(program);
        let streams = Streams::of(program);
        let mut all: Vec<Effects> = program
            .functions
            .iter()
            .zip(sources)
            .map(|(function, sources)| {
                if function.defined {
                    Effects::of_body(function, sources)
                } else {
                    let mut effects = Effects::of_library(&function.name, function.noreturn, most);
                    let known = library(&function.name);
                    effects.foreign |= known.is_none() && calls_unknown(program, function);
                    streams.add(&mut effects, known);
                    effects
                }
            })
            .collect();
        loop {
            let mut changed = false;
            for index in 0..program.functions.len() {
                let id = FunctionId::new(index);
                for call in calls.calls_in(id) {
                    for callee in calls.callees(call) {
                        let inner = all[callee.index()].clone();
                        let arguments = arguments(&program.functions[index], call, *callee);
                        let inner = inner.placed(&sources[index], arguments);
                        changed |= all[index].absorb(&inner, callee.index() == index);
                    }
                    if call.open && calls.callees(call).is_empty() {
                        changed |= all[index].absorb(&outside, false);
                    }
                }
                if called_from_outside[index] {
                    changed |= outside.absorb(&all[index].unplaced(), false);
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
        self.through.extend(&other.through);
        self.streams |= other.streams;
        self.stops |= other.stops;
        self.inputs |= other.inputs;
        self.unknown.extend(other.unknown.iter().cloned());
        self.repeats |= other.repeats || itself;
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
        let (globals, through) = (self.globals.len(), self.through.len());
        (globals, through, self.unknown.len(), flags)
    }

    /// As seen from where it is not known what is passed: what is written through parameters may
    /// be anywhere.
    pub(crate) fn unplaced(&self) -> Effects {
        let mut effects = self.clone();
        effects.anywhere |= !effects.through.is_empty();
        effects.through.clear();
        effects
    }

    /// What functions of the program do that code outside calls: with the names of that code left
    /// out.
    fn called_back(&self) -> Effects {
        let mut effects = self.clone();
        effects.unknown.remove(UNKNOWN);
        effects
    }

    /// The effects of a library function by its name; no call has more arguments than `most`.
    fn of_library(name: &str, noreturn: bool, most: usize) -> Effects {
        let mut effects = Effects {
            stops: noreturn,
            ..Effects::default()
        };
        match library(name) {
            Some(Library::InputObject(_)) => {
                effects.inputs = true;
                effects.through.insert(0);
            }
            Some(Library::Fills { from, to, .. }) => {
                effects.through.extend(from..to.min(most));
                effects.errno = true;
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

    fn of_body(function: &Function, sources: &Sources<'_>) -> Effects {
        let mut effects = Effects::default();
        for (id, block) in function.blocks() {
            for instruction in &block.instructions {
                effects.add(sources, &instruction.operation);
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

    pub(crate) fn add(&mut self, sources: &Sources<'_>, operation: &Operation) {
        match operation {
            Operation::Store { address, .. } => self.write(sources, *address),
            Operation::Intrinsic {
                intrinsic,
                arguments,
            } => {
                if intrinsic.writes_memory() {
                    match arguments.first() {
                        Some(to) => self.write(sources, *to),
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
            // What a callee does is added by the call graph.
            Operation::Call {
                callee: Callee::Indirect(_),
                ..
            } => self.repeats = true,
            _ => {}
        }
    }

    fn write(&mut self, sources: &Sources<'_>, address: Operand) {
        match sources.pointed(address) {
            Pointed::Own => {}
            Pointed::Global(id) => {
                self.globals.insert(id);
            }
            Pointed::Parameter(index) => {
                self.through.insert(index);
            }
            Pointed::Anything => self.anywhere = true,
        }
    }

    /// As seen from a caller that passes these arguments; none are known of a call by a pointer.
    pub(crate) fn placed(&self, sources: &Sources<'_>, arguments: Option<&[Operand]>) -> Effects {
        let Some(arguments) = arguments else {
            return self.unplaced();
        };
        let mut effects = self.clone();
        for index in std::mem::take(&mut effects.through) {
            if let Some(argument) = arguments.get(index) {
                effects.write(sources, *argument);
            }
        }
        effects
    }
}

/// What a caller passes to a function that it calls by name; `None` if it calls it otherwise.
pub(crate) fn arguments<'f>(
    function: &'f Function,
    call: &Call,
    callee: FunctionId,
) -> Option<&'f [Operand]> {
    let block = function.block(call.block)?;
    match &block.instructions[call.instruction as usize].operation {
        Operation::Call {
            callee: Callee::Direct(id),
            arguments,
            ..
        } if *id == callee => Some(arguments),
        _ => None,
    }
}

/// The most arguments of a call in the program.
fn most_arguments(program: &Program) -> usize {
    let blocks = program.functions.iter().flat_map(|one| &one.blocks);
    let instructions = blocks.flat_map(|block| &block.instructions);
    let counts = instructions.map(|instruction| match &instruction.operation {
        Operation::Call { arguments, .. } => arguments.len(),
        _ => 0,
    });
    counts.max().unwrap_or(0)
}

/// What the program has to do with the streams of the library.
struct Streams {
    /// It looks at what the library keeps of them.
    seen: bool,
    /// It may give them memory of its own, which may be written at any time.
    given: bool,
}

impl Streams {
    fn of(program: &Program) -> Self {
        let named = |name: &&str| program.functions.iter().any(|one| one.name == **name);
        let inlined = ["__uflow", "__overflow"];
        let given = [
            "setvbuf",
            "setbuf",
            "setbuffer",
            "fmemopen",
            "open_memstream",
            "open_wmemstream",
            "fopencookie",
        ];
        Streams {
            seen: inlined.iter().any(named),
            given: given.iter().any(named),
        }
    }

    /// What a library function does besides.
    fn add(&self, effects: &mut Effects, known: Option<Library>) {
        if matches!(known, Some(Library::Fills { .. } | Library::Harmless)) {
            effects.streams |= self.seen;
            effects.anywhere |= self.given;
        }
    }
}

/// What stands for functions without a name.
const UNKNOWN: &str = "a function that is not known";
