//! From traces to the tree: which steps of a run are decisions, and with which directions.
//!
//! Concretizations are no decisions: they are constraints of a query that may be dropped. But the
//! sizes of allocations can be asked for; in the tree all runs go on in direction 0 there, whatever
//! the size, since what follows is the same decisions. The
//! switches of library models have no list of cases; in the tree they are two-way, direction 1
//! being any case, and are flipped to "any other value".

use labrys_program::Program;
use labrys_trace::{OTHER, SizeFlip, Step, StepKind, Trace};

use crate::strategy::is_model;
use crate::tree::Decision;

/// The decisions of a run, in order.
pub(crate) fn decisions<'a>(
    trace: &'a Trace,
    program: &'a Program,
) -> impl Iterator<Item = Decision> + 'a {
    let numbered = (0u32..).zip(trace.steps());
    numbered
        .filter(|(_, step)| step.is_decision())
        .map(|(number, step)| {
            let cases = known_directions(step, program);
            Decision {
                site: step.site,
                arity: cases.unwrap_or(2),
                direction: if cases.is_some() {
                    step.direction
                } else {
                    step.direction.min(1)
                },
                frame: trace.frame(number as usize).unwrap_or(0) as u32,
                value: compared(trace, step, program),
                closed: (step.kind == StepKind::Assume).then_some(0),
            }
        })
}

/// The constant that a library model compares a value with, as a number that is not 0; 0 for all
/// other decisions. One loop of `strchr` decides which letter an option is, and which sign a
/// number has.
fn compared(trace: &Trace, step: &Step, program: &Program) -> u32 {
    if step.kind != StepKind::Branch || !is_model(program, step.site) {
        return 0;
    }
    trace
        .compared(step)
        .map_or(0, |value| value as u32 | 1 << 31)
}

/// The direction of a step in its trace that is this direction of its node in the tree.
pub(crate) fn trace_direction(step: &Step, program: &Program, direction: u32) -> u32 {
    match known_directions(step, program) {
        Some(_) => direction,
        None => OTHER,
    }
}

/// The number of directions; `None` if nobody knows.
fn known_directions(step: &Step, program: &Program) -> Option<u32> {
    match (step.kind, step.program_site(program)) {
        (StepKind::Switch, None) => None,
        (StepKind::Switch, Some(site)) => Some(program.site(site)?.kind.directions()),
        (StepKind::Concretize, _) => Some(SizeFlip::DIRECTIONS),
        _ => Some(2),
    }
}
