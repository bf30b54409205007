//! Queries: the steps that a branch depends on, and the branch flipped.
//!
//! Hard constraints must hold on the path to the branch. Soft ones may be dropped at the cost of
//! a possible divergence: values that were concretized, "files grow only a little", and "files
//! keep what was looked at".

use labrys_expr::{Columns, ExprId, Symbol};
use labrys_solver::{Answer, Assignment};
use labrys_suite::Input;
use labrys_trace::{Decoder, Simplified, Step, Trace};
use rustc_hash::FxHashSet;

/// Nodes of a trace that are simplified in the time of a step of the solver.
const NODES_PER_STEP: u64 = 4;

/// Nodes whose values for all bytes are computed in that time.
const COLUMNS_PER_STEP: u64 = 25;

/// How many times fewer conditions are taken simplified. The back end keeps what it was once asked,
/// and runs share their conditions as they stand, not what is left of them.
const FEWER: usize = 4;

/// A run's trace with what was decoded of it.
#[derive(Debug)]
pub(crate) struct DecodedRun {
    pub(crate) trace: Trace,
    pub(crate) decoder: Decoder,
    pub(crate) input: Input,
    pub(crate) hint: Assignment,
    /// The steps that are decisions: that of a node in the tree is the one at its depth.
    decisions: Vec<u32>,
    /// The path constraint simplified by itself, as far as that paid: by hard conditions, and by all.
    simplified: [Simplified; 2],
    /// What queries about the run cost so far, in steps of the solver.
    spent: u64,
}

impl DecodedRun {
    pub(crate) fn new(trace: Trace, input: Input) -> Self {
        let decoder = trace.decoder();
        let numbered = (0..).zip(trace.steps());
        let decisions = numbered.filter(|(_, step)| step.is_decision());
        let decisions = decisions.map(|(number, _)| number).collect();
        let hint =
            Assignment::from_streams(input.streams.iter().map(|stream| stream.bytes.clone()));
        DecodedRun {
            trace,
            decoder,
            input,
            hint,
            decisions,
            simplified: [false, true].map(Simplified::new),
            spent: 0,
        }
    }

    /// The step that made a decision, by the number of decisions before it.
    pub(crate) fn decision(&self, number: u32) -> Option<(usize, Step)> {
        let step = *self.decisions.get(number as usize)? as usize;
        Some((step, *self.trace.steps().get(step)?))
    }

    /// What it cost to simplify with these columns, in steps of the solver.
    pub(crate) fn simplifying(&self, columns: &Columns) -> u64 {
        let nodes: u64 = self.simplified.iter().map(Simplified::nodes).sum();
        nodes / NODES_PER_STEP + columns.computed() / COLUMNS_PER_STEP
    }

    /// Counts what a query cost.
    pub(crate) fn spend(&mut self, steps: u64) {
        self.spent = self.spent.saturating_add(steps);
    }

    /// Whether a query for a step takes the conditions simplified: once queries have cost as much as
    /// that does. So runs that few queries are about, or cheap ones, cost no more, and others at most
    /// twice what they need.
    fn is_simplified(&self, step: usize, soft: Soft) -> bool {
        let nodes = self.trace.recording().nodes.len() as u64;
        self.spent > nodes / NODES_PER_STEP || self.simplified[soft as usize].steps() > step
    }

    /// The condition under which a step goes into a direction; what is left of it by others of which
    /// soft ones are kept or not.
    fn flipped(
        &mut self,
        columns: &mut Columns,
        flip: (usize, u32),
        simplified: Option<Soft>,
    ) -> ExprId {
        let DecodedRun { trace, decoder, .. } = self;
        match simplified {
            Some(soft) => self.simplified[soft as usize].flipped(trace, decoder, columns, flip),
            None => trace.flipped(decoder, flip.0, flip.1),
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
            + self.simplified.iter().map(Simplified::steps).sum::<usize>() * 256
            + 4096
    }
}

/// Whether a query has soft constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Soft {
    Dropped,
    Kept,
}

/// What must hold to flip a branch.
#[derive(Debug)]
pub(crate) struct Conditions {
    hard: Vec<ExprId>,
    soft: Vec<ExprId>,
    goal: ExprId,
}

impl Conditions {
    /// All constraints of a query; the goal stands last, the soft ones before it.
    pub(crate) fn constraints(&self) -> Vec<ExprId> {
        let goal = std::iter::once(self.goal);
        let all = self.hard.iter().chain(&self.soft).copied();
        all.chain(goal).collect()
    }

    /// How many there are beside the goal.
    fn len(&self) -> usize {
        self.hard.len() + self.soft.len()
    }

    /// Whether no input satisfies them, as is seen without a query.
    pub(crate) fn are_false(&self) -> bool {
        self.goal == ExprId::FALSE
    }

    /// Whether they may have a model where others, which soft constraints were put into or stand
    /// among, have none: unless they contain all that the answer rests on.
    pub(crate) fn may_have_another_answer(&self, others: &[ExprId], answer: &Answer) -> bool {
        let own = self.constraints();
        match answer {
            Answer::Unsat(core) => {
                let own: FxHashSet<ExprId> = own.into_iter().collect();
                !core.0.iter().all(|index| own.contains(&others[*index]))
            }
            Answer::Sat(_) | Answer::Unknown(_) => own != others,
        }
    }
}

/// The conditions under which a run like this one takes another direction at a step: simplified, if
/// they are false then or few are left.
pub(crate) fn conditions(
    known: &mut DecodedRun,
    columns: &mut Columns,
    flip: (usize, u32),
    max_length: usize,
    soft: Soft,
) -> Conditions {
    let (step, _) = flip;
    let simplified = known.is_simplified(step, soft).then_some(soft);
    if simplified.is_some() && known.flipped(columns, flip, simplified) == ExprId::FALSE {
        return Conditions {
            hard: Vec::new(),
            soft: Vec::new(),
            goal: ExprId::FALSE,
        };
    }
    let mut slice = known.trace.slice(step);
    slice.retain(|earlier| soft == Soft::Kept || !known.trace.steps()[*earlier].soft);
    let mut found = collected(known, columns, flip, &slice, simplified);
    if simplified.is_some() && found.len() > slice.len() / FEWER {
        found = collected(known, columns, flip, &slice, None);
    }
    bound_lengths(known, step, &mut found, max_length, soft);
    found
}

/// The conditions of a slice, and of the flipped step; what is left of them, or they themselves.
fn collected(
    known: &mut DecodedRun,
    columns: &mut Columns,
    flip: (usize, u32),
    slice: &[usize],
    simplified: Option<Soft>,
) -> Conditions {
    let mut found = Conditions {
        hard: Vec::new(),
        soft: Vec::new(),
        goal: known.flipped(columns, flip, simplified),
    };
    let mut seen: FxHashSet<ExprId> = [ExprId::TRUE].into_iter().collect();
    for &earlier in slice {
        let there = known.trace.steps()[earlier];
        let condition = known.flipped(columns, (earlier, there.direction), simplified);
        if seen.insert(condition) {
            let list = match there.soft {
                true => &mut found.soft,
                false => &mut found.hard,
            };
            list.push(condition);
        }
    }
    found
}

/// Bounds the lengths that a query speaks of: softly near to what they are, hard by the limit. A
/// byte that the path looked at was read, so the file does not end before it; memory that a shorter
/// file leaves as it was may hold the same, so that is soft too.
fn bound_lengths(
    known: &mut DecodedRun,
    step: usize,
    found: &mut Conditions,
    max_length: usize,
    soft: Soft,
) {
    let trace = &known.trace;
    let pool = known.decoder.pool_mut();
    for (number, stream) in (0u16..).zip(&known.input.streams) {
        let symbol = Symbol::Length { stream: number };
        let speaks = |id: &ExprId| pool.symbols(*id).contains(symbol);
        let any = found.hard.iter().chain(&found.soft).any(speaks) || speaks(&found.goal);
        if !stream.kind.is_file() || !any {
            continue;
        }
        let value = pool.symbol(symbol);
        let bound = pool.constant(64, max_length as u128);
        found.hard.push(pool.ule(value, bound));
        if soft == Soft::Dropped {
            continue;
        }
        let length = stream.bytes.len();
        let looked_at = looked_at(trace, step, number, length);
        if looked_at > 0 {
            let least = pool.constant(64, looked_at as u128);
            found.soft.push(pool.ule(least, value));
        }
        let near = length.saturating_add((length / 2).max(16)).min(max_length);
        let near = pool.constant(64, near as u128);
        found.soft.push(pool.ule(value, near));
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
