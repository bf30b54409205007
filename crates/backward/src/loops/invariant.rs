//! Loop invariants, backward: a constraint that no iteration makes true, where it was false, was
//! true before the loop. So havocking the loop need not drop it.
//!
//! Laws: let `c` hold when control comes to the header, and let `c'` say the same of the values
//! and the memory at the visit before. If `c ∧ ¬c'` has no solution on any path of an iteration,
//! `c` was true at every visit, the first included. Iterations are explored as the path search
//! explores code, with inner loops and calls havocked where need be, so a run of an iteration is
//! on one of the paths. Symbols of what comes after the loop stand for values that the run has in
//! the end; they are the same at all visits.

use labrys_analysis::Loop;
use labrys_expr::{ExprId, Op, Symbol};
use labrys_program::ValueId;
use labrys_semantics::IrValue;
use labrys_solver::{Answer, Model};
use rustc_hash::FxHashSet;

use super::candidates;
use super::exploration::Exploration;
use super::iteration::Iterations;
use crate::check::Check;
use crate::state::{Read, State};
use crate::step::havoc_blocks;
use crate::terms::Terms;

/// Constraints that are tried at one loop, in loops in it, and expressions in one.
const MAX_TRIED: [usize; 2] = [6, 2];
const MAX_SIZE: usize = 600;
/// Lowest bits of two sides that are compared where all bits are no invariant.
const MAX_LOW_BITS: u32 = 3;

/// Constraints that hold before a loop as they hold behind it.
#[derive(Debug, Default)]
pub(crate) struct LoopInvariant {
    constraints: Vec<ExprId>,
    footprint: Footprint,
}

/// What constraints at the header of a loop depend on that an iteration may change: phis of the
/// header, and memory.
#[derive(Debug, Default)]
struct Footprint {
    phis: Vec<(ValueId, ExprId)>,
    /// Reads after those that their addresses depend on.
    reads: Vec<Read>,
}

/// The end of an iteration, at the header before.
struct IterationEnd {
    /// The value of the subject there.
    before: ExprId,
    constraints: Vec<ExprId>,
}

/// The constraints of a state at the header of a loop that were true before the loop.
pub(crate) fn infer<'p, E: Exploration<'p>>(
    explorer: &mut E,
    state: &mut State,
    natural: &Loop,
    check: Check<'_>,
) -> LoopInvariant {
    let Some(nesting) = explorer.effort().begin_loop() else {
        return LoopInvariant::default();
    };
    state.conditions_mut().settle(explorer.terms());
    let varying = varying_symbols(explorer.terms(), state, natural);
    let tried = tried_constraints(explorer.terms(), state, &varying, MAX_TRIED[nesting]);
    let mut iterations = Iterations::new(explorer, natural, check);
    let mut constraints = Vec::new();
    let mut left = Vec::new();
    for constraint in tried {
        if is_invariant(&mut iterations, state, &[constraint]) {
            constraints.push(constraint);
        } else {
            left.push(constraint);
        }
    }
    if left.len() > 1 && is_invariant(&mut iterations, state, &left) {
        constraints.append(&mut left);
    }
    let sources = if nesting == 0 { &left[..] } else { &[] };
    for equality in sources {
        constraints.extend(invariant_low_bits(&mut iterations, state, *equality));
    }
    for subject in candidates::subjects(iterations.terms().pool(), sources, &varying) {
        constraints.extend(invariant_of_symbol(&mut iterations, state, subject));
    }
    explorer.effort().end_loop();
    LoopInvariant {
        footprint: Footprint::of(explorer.terms(), state, &constraints),
        constraints,
    }
}

impl LoopInvariant {
    /// After the loop was havocked: the symbols of the invariant stand for values before the loop,
    /// and those of all other constraints for values behind it.
    pub(crate) fn apply(self, terms: &mut Terms<'_>, state: &mut State) {
        if self.constraints.is_empty() {
            return;
        }
        let Footprint { phis, reads } = self.footprint;
        terms.begin_substitution();
        for (_, symbol) in &phis {
            rename_behind(terms, *symbol);
        }
        let mut before = Vec::new();
        for read in reads {
            let has_moved = terms.substituted(read.address) != read.address;
            let mut left = state.memory().reads().iter();
            let is_left =
                |other: &Read| (other.symbol, other.address) == (read.symbol, read.address);
            if has_moved || !left.any(is_left) {
                rename_behind(terms, read.symbol);
                before.push(read);
            }
        }
        state.memory_mut().rename(terms);
        state.conditions_mut().rename(terms);
        state.memory_mut().extend(before);
        for (value, symbol) in phis {
            state.frame_mut().set(value, IrValue::Scalar(symbol));
        }
        for constraint in self.constraints {
            state.require(terms, constraint);
        }
    }
}

/// Behind the loop, a symbol has another name.
fn rename_behind(terms: &mut Terms<'_>, symbol: ExprId) {
    let behind = terms.fresh(terms.width(symbol));
    if let Some(name) = terms.pool().as_symbol(symbol) {
        terms.note_earlier(name, behind);
    }
    terms.replace(symbol, behind);
}

/// The symbols that stand for other values at other visits to the header.
fn varying_symbols(terms: &mut Terms<'_>, state: &State, natural: &Loop) -> FxHashSet<Symbol> {
    let mut after = state.clone();
    havoc_blocks(terms, &mut after, natural.blocks());
    let stays: FxHashSet<ExprId> = after
        .memory()
        .reads()
        .iter()
        .map(|read| read.symbol)
        .collect();
    let function = terms.analysis().function(state.function());
    let phis = &function.blocks[state.block().index()].phis;
    let phis = phis
        .iter()
        .filter_map(|phi| state.frame().scalar(phi.result));
    let reads = state.memory().reads();
    let havocked = reads.iter().map(|read| read.symbol);
    let havocked = havocked.filter(|symbol| !stays.contains(symbol));
    let mut varying: FxHashSet<Symbol> = phis
        .chain(havocked)
        .filter_map(|symbol| terms.pool().as_symbol(symbol))
        .collect();
    loop {
        let before = varying.len();
        for read in reads {
            if terms.speaks_of(read.address, &varying) {
                varying.extend(terms.pool().as_symbol(read.symbol));
            }
        }
        if varying.len() == before {
            return varying;
        }
    }
}

/// The constraints that may be invariants.
fn tried_constraints(
    terms: &Terms<'_>,
    state: &State,
    varying: &FxHashSet<Symbol>,
    most: usize,
) -> Vec<ExprId> {
    let constraints = state.conditions().constraints().iter().copied();
    let mut tried: Vec<ExprId> = constraints
        .filter(|id| terms.speaks_of(*id, varying) && terms.is_within(*id, MAX_SIZE))
        .collect();
    // A constraint on few symbols is more likely to be an invariant.
    tried.sort_by_key(|id| terms.pool().symbols(*id).len());
    tried.truncate(most);
    tried
}

impl Footprint {
    fn of(terms: &Terms<'_>, state: &State, constraints: &[ExprId]) -> Self {
        let pool = terms.pool();
        let mut symbols: FxHashSet<Symbol> = FxHashSet::default();
        for constraint in constraints {
            symbols.extend(pool.symbols(*constraint).iter());
        }
        let mut reads: Vec<Read> = Vec::new();
        loop {
            let before = reads.len();
            for read in state.memory().reads() {
                let required = pool.as_symbol(read.symbol);
                let required = required.is_some_and(|symbol| symbols.contains(&symbol));
                if required && !reads.iter().any(|other| other.symbol == read.symbol) {
                    reads.push(*read);
                    symbols.extend(pool.symbols(read.address).iter());
                }
            }
            if reads.len() == before {
                break;
            }
        }
        let function = terms.analysis().function(state.function());
        let phis = &function.blocks[state.block().index()].phis;
        let phis = phis.iter().filter_map(|phi| {
            let symbol = state.frame().scalar(phi.result)?;
            let required = symbols.contains(&pool.as_symbol(symbol)?);
            required.then_some((phi.result, symbol))
        });
        Footprint {
            phis: phis.collect(),
            reads: in_order(terms, reads),
        }
    }

    /// The state with nothing but these constraints, which have this footprint.
    fn state_with(&self, terms: &Terms<'_>, state: &State, constraints: &[ExprId]) -> State {
        let function = terms.analysis().function(state.function());
        let phis = &function.blocks[state.block().index()].phis;
        state.restricted(constraints, &self.reads, |frame| {
            for phi in phis {
                if !self.phis.iter().any(|(value, _)| *value == phi.result) {
                    frame.take(phi.result);
                }
            }
        })
    }

    /// Expressions over the footprint, said of the visit to the header where the state is.
    fn said_at(
        &self,
        terms: &mut Terms<'_>,
        state: &mut State,
        expressions: &[ExprId],
    ) -> Vec<ExprId> {
        let mut values = Vec::new();
        for (value, symbol) in &self.phis {
            let known = state.frame().scalar(*value);
            let now = known.unwrap_or_else(|| terms.fresh(terms.width(*symbol)));
            values.push((*symbol, now));
        }
        terms.begin_substitution();
        for (symbol, now) in values {
            terms.replace(symbol, now);
        }
        for read in &self.reads {
            let address = terms.substituted(read.address);
            let now = state.read(terms, address, read.size);
            terms.replace(read.symbol, now);
        }
        expressions
            .iter()
            .map(|id| terms.substituted(*id))
            .collect()
    }
}

/// Reads after those that their addresses depend on.
fn in_order(terms: &Terms<'_>, mut reads: Vec<Read>) -> Vec<Read> {
    let mut ordered: Vec<Read> = Vec::new();
    while !reads.is_empty() {
        let open: FxHashSet<Symbol> = reads
            .iter()
            .filter_map(|read| terms.pool().as_symbol(read.symbol))
            .collect();
        let (later, now): (Vec<Read>, Vec<Read>) = reads
            .iter()
            .partition(|read| terms.speaks_of(read.address, &open));
        if now.is_empty() {
            // An address that depends on its own content is the address of no other read.
            ordered.extend(later);
            return ordered;
        }
        ordered.extend(now);
        reads = later;
    }
    ordered
}

/// Whether no iteration makes these constraints true together where they were not.
fn is_invariant<'p, E: Exploration<'p>>(
    iterations: &mut Iterations<'_, 'p, E>,
    state: &State,
    constraints: &[ExprId],
) -> bool {
    let footprint = Footprint::of(iterations.terms(), state, constraints);
    let start = footprint.state_with(iterations.terms(), state, constraints);
    iterations.explore(&start, &mut |iterations, end| {
        let terms = iterations.terms();
        if end.is_infeasible(terms) {
            return true;
        }
        let before = footprint.said_at(terms, end, constraints);
        let before = terms.pool_mut().all(before);
        let mut asked = end.conditions().constraints().to_vec();
        asked.push(terms.pool_mut().not(before));
        iterations.is_unsatisfiable(asked)
    })
}

/// Of an equality that is no invariant itself: that the lowest bits are equal. So a number stays odd,
/// and an address aligned.
fn invariant_low_bits<'p, E: Exploration<'p>>(
    iterations: &mut Iterations<'_, 'p, E>,
    state: &State,
    equality: ExprId,
) -> Option<ExprId> {
    let pool = iterations.terms().pool_mut();
    if pool.op(equality) != Op::Eq {
        return None;
    }
    let [left, right] = [0, 1].map(|index| pool.node(equality).operands()[index]);
    let mut found = None;
    for bits in 1..=MAX_LOW_BITS.min(pool.width(left).saturating_sub(1)) {
        let pool = iterations.terms().pool_mut();
        let [left, right] = [left, right].map(|side| pool.extract(side, 0, bits));
        let candidate = pool.eq(left, right);
        if pool.bits(candidate).is_some() || !is_invariant(iterations, state, &[candidate]) {
            break;
        }
        found = Some(candidate);
    }
    found
}

/// A simple condition on a symbol that follows from the constraints of a state and that no
/// iteration makes true where it was not.
fn invariant_of_symbol<'p, E: Exploration<'p>>(
    iterations: &mut Iterations<'_, 'p, E>,
    state: &State,
    symbol: ExprId,
) -> Option<ExprId> {
    let footprint = Footprint::of(iterations.terms(), state, &[symbol]);
    let terms = iterations.terms();
    // The symbol behind an iteration, in terms of values before it.
    let behind = terms.fresh(terms.width(symbol));
    let same = terms.pool_mut().eq(behind, symbol);
    let start = footprint.state_with(terms, state, &[same]);
    let mut ends = Vec::new();
    let is_complete = iterations.explore(&start, &mut |iterations, end| {
        let terms = iterations.terms();
        if !end.is_infeasible(terms) {
            ends.push(IterationEnd {
                before: footprint.said_at(terms, end, &[symbol])[0],
                constraints: end.conditions().constraints().to_vec(),
            });
        }
        true
    });
    if !is_complete {
        return None;
    }
    let mut naming = state.conditions().constraints().to_vec();
    naming.extend(ends.iter().flat_map(|end| &end.constraints));
    let terms = iterations.terms();
    let numbers = candidates::numbers(terms.pool(), &naming, terms.width(symbol));
    let candidates = candidates::about(terms.pool_mut(), symbol, &numbers);
    let mut candidates = implied(iterations, state, symbol, candidates);
    while let Some(candidate) = candidates.first().copied() {
        let Some(refutation) = refuted(iterations, candidate, symbol, behind, &ends) else {
            return Some(candidate);
        };
        candidates.remove(0);
        // An iteration from one value to another refutes other candidates too.
        if let (Some(before), Some(after)) = refutation {
            let terms = iterations.terms();
            candidates.retain(|other| {
                let is_true = terms.substitute_one(*other, symbol, after) == ExprId::TRUE;
                !is_true || terms.substitute_one(*other, symbol, before) == ExprId::TRUE
            });
        }
    }
    None
}

/// The candidates on a symbol that follow from the constraints of a state.
fn implied<'p, E: Exploration<'p>>(
    iterations: &mut Iterations<'_, 'p, E>,
    state: &State,
    symbol: ExprId,
    mut candidates: Vec<ExprId>,
) -> Vec<ExprId> {
    let pool = iterations.terms().pool();
    let own = pool.symbols(symbol);
    let constraints = state.conditions().constraints().iter().copied();
    let near: Vec<ExprId> = constraints
        .filter(|constraint| own.intersects(&pool.symbols(*constraint)))
        .collect();
    let Some(name) = pool.as_symbol(symbol) else {
        return Vec::new();
    };
    let mut implied = Vec::new();
    // A value that the symbol can have excludes all candidates that it contradicts.
    let mut seen = state.conditions().model().get(name);
    while !candidates.is_empty() {
        let terms = iterations.terms();
        if let Some(bits) = seen.take() {
            let value = terms.constant(name.width(), bits);
            candidates.retain(|other| terms.substitute_one(*other, symbol, value) == ExprId::TRUE);
            continue;
        }
        let candidate = candidates.remove(0);
        let mut asked = near.clone();
        asked.push(terms.pool_mut().not(candidate));
        match iterations.ask(asked) {
            Some(Answer::Unsat(_)) => implied.push(candidate),
            Some(Answer::Sat(model)) => seen = model.get(name),
            Some(Answer::Unknown(_)) => {}
            None => return implied,
        }
    }
    implied
}

/// Values of a symbol before and behind an iteration that makes a candidate on it true, as far as
/// the solver tells; `None` if no iteration does.
fn refuted<'p, E: Exploration<'p>>(
    iterations: &mut Iterations<'_, 'p, E>,
    candidate: ExprId,
    symbol: ExprId,
    behind: ExprId,
    ends: &[IterationEnd],
) -> Option<(Option<ExprId>, Option<ExprId>)> {
    for end in ends {
        let terms = iterations.terms();
        let mut asked = end.constraints.clone();
        asked.push(terms.substitute_one(candidate, symbol, behind));
        let then = terms.substitute_one(candidate, symbol, end.before);
        asked.push(terms.pool_mut().not(then));
        match iterations.ask(asked) {
            Some(Answer::Unsat(_)) => {}
            Some(Answer::Sat(model)) => {
                return Some(values(iterations.terms(), end.before, behind, &model));
            }
            Some(Answer::Unknown(_)) | None => return Some((None, None)),
        }
    }
    None
}

fn values(
    terms: &mut Terms<'_>,
    before: ExprId,
    behind: ExprId,
    model: &Model,
) -> (Option<ExprId>, Option<ExprId>) {
    let before = terms.evaluated(before, model);
    (before, terms.evaluated(behind, model))
}
