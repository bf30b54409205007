//! Queries: the steps that a branch depends on, and the branch flipped.
//!
//! Hard constraints must hold on the path to the branch. Soft ones may be dropped at the cost of
//! a possible divergence: values that were concretized, "files grow only a little", and "files
//! keep what was looked at".

use labrys_expr::{ExprId, Symbol};
use labrys_solver::Assignment;
use labrys_suite::Input;
use labrys_trace::{Decoder, Trace};
use rustc_hash::FxHashSet;

/// A run's trace with what was decoded of it.
#[derive(Debug)]
pub(crate) struct DecodedRun {
    pub(crate) trace: Trace,
    pub(crate) decoder: Decoder,
    pub(crate) input: Input,
    pub(crate) hint: Assignment,
}

impl DecodedRun {
    pub(crate) fn new(trace: Trace, input: Input) -> Self {
        let decoder = trace.decoder();
        let hint =
            Assignment::from_streams(input.streams.iter().map(|stream| stream.bytes.clone()));
        DecodedRun {
            trace,
            decoder,
            input,
            hint,
        }
    }

    /// Rough size in bytes.
    pub(crate) fn weight(&self) -> usize {
        let recording = self.trace.recording();
        recording.nodes.len() * 40
            + recording.events.len() * 56
            + recording.data.len()
            + recording.coverage.len()
            + self.decoder.decoded() * 64
            + 4096
    }
}

/// What must hold to flip a branch.
#[derive(Debug)]
pub(crate) struct Conditions {
    pub(crate) hard: Vec<ExprId>,
    pub(crate) soft: Vec<ExprId>,
    pub(crate) goal: ExprId,
}

impl Conditions {
    /// All constraints of a query; the goal stands last, the soft ones before it.
    pub(crate) fn constraints(&self, with_soft: bool) -> Vec<ExprId> {
        let soft = if with_soft { &self.soft[..] } else { &[] };
        let goal = std::iter::once(self.goal);
        self.hard.iter().chain(soft).copied().chain(goal).collect()
    }

    /// Whether a core has a soft constraint in it.
    pub(crate) fn is_soft(&self, core: &[usize]) -> bool {
        let soft = self.hard.len()..self.hard.len() + self.soft.len();
        core.iter().any(|index| soft.contains(index))
    }
}

/// The conditions under which a run like this one takes another direction at a step; `None` if
/// no input does.
pub(crate) fn conditions(
    known: &mut DecodedRun,
    step: usize,
    direction: u32,
    max_length: usize,
) -> Option<Conditions> {
    let DecodedRun { trace, decoder, .. } = known;
    let goal = trace.flipped(decoder, step, direction);
    if goal == ExprId::FALSE {
        return None;
    }
    let mut found = Conditions {
        hard: Vec::new(),
        soft: Vec::new(),
        goal,
    };
    let mut seen: FxHashSet<ExprId> = [ExprId::TRUE].into_iter().collect();
    for earlier in trace.slice(step) {
        let condition = trace.condition(decoder, earlier);
        if seen.insert(condition) {
            let soft = trace.steps()[earlier].soft;
            let list = if soft {
                &mut found.soft
            } else {
                &mut found.hard
            };
            list.push(condition);
        }
    }
    bound_lengths(known, step, &mut found, max_length);
    Some(found)
}

/// Bounds the lengths that a query speaks of: softly near to what they are, hard by the limit. A
/// byte that the path looked at was read, so the file does not end before it; memory that a shorter
/// file leaves as it was may hold the same, so that is soft too.
fn bound_lengths(known: &mut DecodedRun, step: usize, found: &mut Conditions, max_length: usize) {
    let trace = &known.trace;
    let pool = known.decoder.pool_mut();
    for (number, stream) in (0u16..).zip(&known.input.streams) {
        let symbol = Symbol::Length { stream: number };
        let speaks = |id: &ExprId| pool.symbols(*id).contains(symbol);
        let any = found.hard.iter().chain(&found.soft).any(speaks) || speaks(&found.goal);
        if !stream.kind.is_file() || !any {
            continue;
        }
        let length = stream.bytes.len();
        let near = length.saturating_add((length / 2).max(16)).min(max_length);
        let value = pool.symbol(symbol);
        let looked_at = looked_at(trace, step, number, length);
        if looked_at > 0 {
            let least = pool.constant(64, looked_at as u128);
            found.soft.push(pool.ule(least, value));
        }
        for (bound, list) in [(max_length, &mut found.hard), (near, &mut found.soft)] {
            let bound = pool.constant(64, bound as u128);
            let condition = pool.ule(value, bound);
            list.push(condition);
        }
    }
}

/// How much of a stream of this length the decisions up to a step depend on, from its beginning.
fn looked_at(trace: &Trace, step: usize, stream: u16, length: usize) -> usize {
    let mut end = 0;
    trace.for_each_decided(step, &mut |symbol| {
        if let Symbol::Byte { stream: of, offset } = symbol {
            let offset = offset as usize;
            if of == stream && offset < length {
                end = end.max(offset + 1);
            }
        }
    });
    end
}
