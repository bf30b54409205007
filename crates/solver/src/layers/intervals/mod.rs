//! Refutation of conditions on floats by intervals of numbers.
//!
//! Bits are the wrong language for `x > 1 && y > 1 && x * y < 1`, and say nothing of `sin(x) > 2`.
//! Here every expression of a float has an interval; conditions narrow them, forward and backward
//! through the operations (HC4, as in `bounds`, which knows whole numbers), and
//! where that is not enough, decisions and then variables are split.
//!
//! Laws: only refutations are given, and each is one of the named parts alone: no interval ever
//! loses a value that the expression has where the conditions hold. Work is counted, so answers
//! are the same everywhere.

mod contract;
mod interval;
mod library;
#[cfg(test)]
mod tests;

use labrys_expr::{ExprId, Op, Pool};
use rustc_hash::FxHashMap;

use crate::difficulty::Difficulty;
use crate::parts::Part;
use crate::schedule::{Layer, Patience, Shared, Task, Verdict};
use contract::{Conflict, Narrowing, PossibleValues};
use interval::Interval;

/// Expressions that are looked at, at most.
const MOST_STEPS: usize = 4_000;
/// Variables beyond which none is split.
const MOST_SPLIT: usize = 4;
/// Depth of splits.
const MOST_DEPTH: u32 = 64;
/// A core is made smaller as long as that takes no more than so many times its own work.
const SHRINKING: u64 = 8;

/// Narrowings that take the time of one step of the back end.
const WORK_PER_STEP: u64 = 1_000;

/// The layer. After the back end gave up, it takes values apart.
#[derive(Default)]
pub(super) struct Intervals;

impl Layer for Intervals {
    fn name(&self) -> &'static str {
        "intervals"
    }

    fn run(&mut self, task: &mut Task<'_, '_>, _: &mut Shared, patience: Patience) -> Verdict {
        let Some(Difficulty::Float | Difficulty::ExternalCall) = task.difficulty() else {
            return Verdict::Pass;
        };
        let split = task.given_up.is_some();
        let mut left = patience.work();
        let core = refute(task.query.pool, &task.parts, split, &mut left);
        let done = (patience.work() - left) / WORK_PER_STEP;
        task.query.budget.spend(done);
        core.map_or(Verdict::Pass, Verdict::Core)
    }
}

/// How an expression is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueSort {
    Truth,
    Float,
}

/// An expression with its operands that are looked at, too.
#[derive(Debug)]
pub(super) struct Step {
    id: ExprId,
    op: Op,
    width: u32,
    sort: ValueSort,
    /// Positions; none where the expression is only a value.
    operands: Vec<usize>,
}

/// Some conditions, as steps in an order where operands come first.
struct Problem<'a> {
    pool: &'a Pool,
    steps: Vec<Step>,
    /// By part.
    roots: Vec<usize>,
    work: u64,
    most_work: u64,
}

/// Positions of parts that contradict each other, found with at most so much work, which is taken
/// off; `None` if nothing was found. With `split`, values are taken apart.
fn refute(pool: &Pool, parts: &[Part], split: bool, work: &mut u64) -> Option<Vec<usize>> {
    let mut concerned: Vec<usize> = (0..parts.len())
        .filter(|at| speaks_of_floats(pool, parts[*at].id))
        .collect();
    if concerned.is_empty() {
        return None;
    }
    let given = *work;
    let (found, spent) = contradict(pool, parts, &concerned, split, given)?;
    *work -= spent.min(given);
    if !found {
        return None;
    }
    let mut left = spent.saturating_mul(SHRINKING).min(*work);
    let mut chunk = concerned.len() / 2;
    while chunk > 0 {
        let mut at = 0;
        while at < concerned.len() && left > 0 {
            let mut rest = concerned.clone();
            rest.drain(at..(at + chunk).min(concerned.len()));
            let tried = contradict(pool, parts, &rest, split, left.min(2 * spent));
            let (found, spent) = tried.unwrap_or((false, 0));
            left = left.saturating_sub(spent.max(1));
            if found {
                concerned = rest;
            } else {
                at += chunk;
            }
        }
        chunk /= 2;
    }
    Some(concerned)
}

/// Whether these parts contradict each other, as far as can be seen, and the work that it took.
fn contradict(
    pool: &Pool,
    parts: &[Part],
    some: &[usize],
    split: bool,
    most_work: u64,
) -> Option<(bool, u64)> {
    let roots: Vec<ExprId> = some.iter().map(|at| parts[*at].id).collect();
    let mut problem = Problem::new(pool, &roots, most_work)?;
    let known: Vec<PossibleValues> = problem
        .steps
        .iter()
        .map(|step| PossibleValues::any(step.sort))
        .collect();
    let found = problem.refuted(known, if split { MOST_DEPTH } else { 0 });
    Some((found, problem.work))
}

/// Whether a condition has a float in it at all.
fn speaks_of_floats(pool: &Pool, id: ExprId) -> bool {
    let mut stack = vec![id];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = stack.pop() {
        if pool.width(id) == 1 && seen.insert(id) {
            if pool.op(id).takes_floats() {
                return true;
            }
            stack.extend(pool.node(id).operands());
        }
    }
    false
}

/// The operands of an expression that say something of it, if it is looked at so.
fn operands(pool: &Pool, id: ExprId, sort: ValueSort) -> Vec<(ExprId, ValueSort)> {
    let node = pool.node(id);
    let of = |sort: ValueSort| {
        let operands = node.operands().iter();
        operands.map(|operand| (*operand, sort)).collect::<Vec<_>>()
    };
    let bit = |id: &ExprId| pool.width(*id) == 1;
    match (sort, node.op()) {
        (ValueSort::Truth, Op::FOeq | Op::FOlt | Op::FOle | Op::FUno) => of(ValueSort::Float),
        (ValueSort::Truth, Op::Not | Op::And | Op::Or | Op::Xor | Op::Ite) => of(ValueSort::Truth),
        (ValueSort::Truth, Op::Eq) if node.operands().iter().all(bit) => of(ValueSort::Truth),
        (ValueSort::Float, Op::Ite) => {
            let mut all = of(ValueSort::Float);
            all[0].1 = ValueSort::Truth;
            all
        }
        (
            ValueSort::Float,
            Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FNeg
            | Op::FAbs
            | Op::FSqrt
            | Op::FToF
            | Op::FRound,
        ) => of(ValueSort::Float),
        (ValueSort::Float, Op::External) => {
            let arguments = pool.as_call(id).map_or(&[][..], |call| call.arguments());
            let width = node.width();
            let like = |argument: &ExprId| pool.width(*argument) == width;
            if arguments.iter().all(like) {
                arguments
                    .iter()
                    .map(|argument| (*argument, ValueSort::Float))
                    .collect()
            } else {
                Vec::new()
            }
        }
        _ => Vec::new(),
    }
}

impl<'a> Problem<'a> {
    fn new(pool: &'a Pool, roots: &[ExprId], most_work: u64) -> Option<Self> {
        let mut found: FxHashMap<(ExprId, bool), ValueSort> = FxHashMap::default();
        let key = |id: ExprId, sort: ValueSort| (id, sort == ValueSort::Float);
        let mut stack: Vec<(ExprId, ValueSort)> =
            roots.iter().map(|id| (*id, ValueSort::Truth)).collect();
        while let Some((id, sort)) = stack.pop() {
            if found.insert(key(id, sort), sort).is_none() {
                stack.extend(operands(pool, id, sort));
            }
            if found.len() > MOST_STEPS {
                return None;
            }
        }
        let mut order: Vec<_> = found.into_iter().collect();
        order.sort_unstable_by_key(|(key, _)| *key);
        let positions: FxHashMap<_, usize> = order
            .iter()
            .enumerate()
            .map(|(at, (key, _))| (*key, at))
            .collect();
        let steps = order.iter().map(|((id, _), sort)| Step {
            id: *id,
            op: pool.op(*id),
            width: pool.width(*id),
            sort: *sort,
            operands: operands(pool, *id, *sort)
                .into_iter()
                .map(|(id, sort)| positions[&key(id, sort)])
                .collect(),
        });
        Some(Problem {
            pool,
            steps: steps.collect(),
            roots: roots.iter().map(|id| positions[&(*id, false)]).collect(),
            work: 0,
            most_work,
        })
    }

    /// Whether nothing satisfies the conditions and what is known.
    fn refuted(&mut self, known: Vec<PossibleValues>, depth: u32) -> bool {
        let mut open = vec![(known, depth)];
        while let Some((mut known, depth)) = open.pop() {
            if self.work > self.most_work {
                return false;
            }
            let mut narrowing = Narrowing {
                pool: self.pool,
                steps: &self.steps,
                known: &mut known,
                work: &mut self.work,
            };
            if let Err(Conflict) = narrowing.run(&self.roots) {
                continue;
            }
            let Some([first, second]) = (depth > 0).then(|| self.split(&known)).flatten() else {
                return false;
            };
            for (at, part) in [second, first] {
                let mut one = known.clone();
                one[at] = part;
                open.push((one, depth - 1));
            }
        }
        true
    }

    /// Two parts of what a step may be: first decisions are taken, then values are halved.
    fn split(&self, known: &[PossibleValues]) -> Option<[(usize, PossibleValues); 2]> {
        let undecided = |at: &usize| {
            let decides = self.steps[*at].op.takes_floats() || self.steps[*at].operands.is_empty();
            decides && known[*at] == PossibleValues::Truth(None)
        };
        if let Some(at) = (0..self.steps.len()).find(undecided) {
            return Some([true, false].map(|truth| (at, PossibleValues::Truth(Some(truth)))));
        }
        let variables = (0..self.steps.len()).filter_map(|at| {
            let step = &self.steps[at];
            let is_free = step.sort == ValueSort::Float && step.operands.is_empty();
            match known[at] {
                PossibleValues::Float(interval) if is_free && interval.low < interval.high => {
                    Some((at, interval))
                }
                _ => None,
            }
        });
        let variables: Vec<(usize, Interval)> = variables.collect();
        if variables.len() > MOST_SPLIT {
            return None;
        }
        let (at, interval) = variables.into_iter().max_by_key(|(at, range)| {
            (key(range.high).abs_diff(key(range.low)), usize::MAX - at)
        })?;
        let parts = halves(interval, self.steps[at].width)?;
        Some(parts.map(|part| (at, PossibleValues::Float(part))))
    }
}

/// Numbers in order, as whole numbers.
fn key(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

/// Two intervals that make up one, with about as many numbers each.
fn halves(interval: Interval, width: u32) -> Option<[Interval; 2]> {
    let Interval { low, high, nan } = interval;
    let middle = if low == f64::NEG_INFINITY {
        low
    } else if high == f64::INFINITY {
        interval::below(high, width)
    } else if low < 0.0 && high > 0.0 {
        0.0
    } else {
        let middle = ((i128::from(key(low)) + i128::from(key(high))) / 2) as i64;
        let bits = if middle < 0 {
            i64::MIN - middle
        } else {
            middle
        };
        let value = f64::from_bits(bits as u64);
        // Of the width, and below the upper end.
        let value = if width == 32 {
            f64::from(value as f32)
        } else {
            value
        };
        if value >= high {
            interval::below(high, width)
        } else {
            value
        }
    };
    let next = interval::above(middle, width);
    (middle >= low && next <= high).then(|| {
        [
            Interval::between(low, middle, nan),
            Interval::between(next, high, false),
        ]
    })
}
