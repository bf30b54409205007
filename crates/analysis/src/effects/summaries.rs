//! Effects of all functions: the least fixpoint over the call graph.
//!
//! Law: outside code may call back each function whose address is taken or whose name is visible
//! to it, so its effects include theirs. Those of a call that returns twice include what may happen
//! until it does.

use labrys_library::Mark;
use labrys_program::graph::CallGraph;
use labrys_program::{Function, FunctionId, GlobalId, Program, Terminator};
use labrys_semantics::LibraryMeaning;
use labrys_semantics::environment::is_place;

use crate::calls::{most_arguments, passed_arguments};
use crate::effects::Effects;
use crate::external_calls::{ExternalCalls, calls_unknown};
use crate::formats::Formats;
use crate::hooks;
use crate::mappings::{Mapped, mapped};
use crate::names::names_any;
use crate::points_to::PointsTo;
use crate::second_returns::SecondReturns;

/// See the module.
#[derive(Debug)]
pub(crate) struct EffectSummaries {
    functions: Vec<Effects>,
    outside: Effects,
    interference: Effects,
}

impl EffectSummaries {
    pub(crate) fn of(
        program: &Program,
        points_to: &[PointsTo<'_>],
        calls: &CallGraph,
        external: &ExternalCalls,
        second_returns: &SecondReturns,
        formats: &Formats,
    ) -> Self {
        let mut outside = Effects::of_outside_code();
        // What library code runs of the program that its rows do not say.
        let mut hooks = Effects::default();
        let hooked = hooks::runs_program(program);
        let mut functions = own_effects(program, points_to, formats);
        loop {
            let mut changed = false;
            for index in 0..program.functions.len() {
                let id = FunctionId::new(index);
                if second_returns.is_of(id) {
                    let meanwhile = of_any(&functions, |other| {
                        second_returns.switch_stacks() || external.may_call(other)
                    });
                    changed |= functions[index].absorb(&meanwhile);
                }
                for call in calls.calls_in(id) {
                    for callee in calls.callees(call) {
                        let arguments = passed_arguments(&program.functions[index], call, *callee);
                        let mut inner =
                            functions[callee.index()].at_call(&points_to[index], arguments);
                        inner.repeats |= *callee == id;
                        changed |= functions[index].absorb(&inner);
                    }
                    if call.open && calls.callees(call).is_empty() {
                        changed |= functions[index].absorb(&outside);
                    }
                }
                if external.may_call(id) {
                    let effects = functions[index].at_unknown_arguments();
                    changed |= outside.absorb(&effects) | hooks.absorb(&effects);
                }
                if hooked && runs_library_code(&program.functions[index]) {
                    changed |= functions[index].absorb(&hooks.called_back());
                }
                if functions[index].foreign {
                    changed |= functions[index].absorb(&outside.called_back());
                }
            }
            if !changed {
                break;
            }
        }
        EffectSummaries {
            interference: interference(program, external, &functions),
            functions,
            outside,
        }
    }

    /// The effects of a function and of all that it may call.
    pub(crate) fn of_function(&self, id: FunctionId) -> &Effects {
        &self.functions[id.index()]
    }

    /// The effects of outside code.
    pub(crate) fn outside(&self) -> &Effects {
        &self.outside
    }

    /// What may happen at any time: the effects of signal handlers that return.
    pub(crate) fn interference(&self) -> &Effects {
        &self.interference
    }
}

/// The effects of code outside of the program, and of some functions that may run meanwhile.
fn of_any(functions: &[Effects], may_run: impl Fn(FunctionId) -> bool) -> Effects {
    let mut all = Effects::of_outside_code().called_back();
    for (index, effects) in functions.iter().enumerate() {
        if may_run(FunctionId::new(index)) {
            all.absorb(&effects.at_unknown_arguments());
        }
    }
    all
}

/// Whether a call of a function runs code of a library.
fn runs_library_code(function: &Function) -> bool {
    let harness =
        labrys_library::function(&function.name).and_then(labrys_library::Function::harness);
    !function.defined && !function.name.starts_with("llvm.") && harness.is_none()
}

/// The effects of each function without those of its callees.
fn own_effects(program: &Program, points_to: &[PointsTo<'_>], formats: &Formats) -> Vec<Effects> {
    let most = most_arguments(program);
    let streams = Streams::of(program);
    let of_function = |(function, points_to): (&Function, &PointsTo<'_>)| {
        if function.defined {
            return Effects::of_body(function, points_to);
        }
        let mut effects = Effects::of_library(&function.name, function.noreturn, most);
        let known = LibraryMeaning::of(&function.name);
        effects.foreign |= known.is_none() && calls_unknown(program, function);
        streams.add(&mut effects, known);
        let row = labrys_library::function(&function.name);
        if row.is_none_or(labrys_library::Function::moves_places) {
            effects.globals.extend(&streams.places);
        }
        effects.anywhere |= formats.may_count(&function.name);
        effects
    };
    program
        .functions
        .iter()
        .zip(points_to)
        .map(of_function)
        .collect()
}

fn interference(program: &Program, external: &ExternalCalls, functions: &[Effects]) -> Effects {
    let mut interference = Effects::default();
    for id in external.handlers() {
        let blocks = &program.functions[id.index()].blocks;
        let mut ends = blocks.iter().map(|block| &block.terminator);
        if ends.any(|end| matches!(end, Terminator::Return(_) | Terminator::Opaque { .. })) {
            interference.absorb(&functions[id.index()].at_unknown_arguments());
        }
    }
    interference
}

/// How the program uses the streams of the library.
struct Streams {
    /// It looks at the memory that the library keeps of them.
    seen: bool,
    /// It may give them memory of its own, or map what they write, so memory may be written at any
    /// time.
    given: bool,
    /// Say from where input is read, in a program that is closed with its surroundings.
    places: Vec<GlobalId>,
}

impl Streams {
    fn of(program: &Program) -> Self {
        let globals = program.globals.iter().enumerate();
        let places = globals.filter(|(_, global)| is_place(&global.name));
        Streams {
            places: places.map(|(index, _)| GlobalId::new(index)).collect(),
            seen: names_any(program, Mark::SeesBuffer),
            given: names_any(program, Mark::GivesBuffer) || mapped(program) != Mapped::Nothing,
        }
    }

    /// Adds the effects on streams of a library function.
    fn add(&self, effects: &mut Effects, known: Option<LibraryMeaning>) {
        if matches!(
            known,
            Some(LibraryMeaning::Fills { .. } | LibraryMeaning::Harmless { .. })
        ) {
            effects.streams |= self.seen;
            effects.anywhere |= self.given;
        }
    }
}
