//! When to start the solver afresh.
//!
//! An incremental solver keeps the circuits of all earlier problems, and every check walks all
//! of them: 7 to 20 ns per gate were measured, against 0.1 to 2 µs for building a gate again, to which
//! comes what had been learned about it. So garbage is let lie until the time lost on it comes
//! near the price of a fresh start, which at worst doubles the time spent.
//!
//! Sizes are estimates in gates. No clock is read: the same problems give the same answers.

use labrys_expr::Op;
use rustc_hash::FxHashSet;

use crate::bitwuzla::Term;

/// Checks that walk one gate for nothing cost as much as building `1 / REBUILD` gates.
const REBUILD: u64 = 100;
/// Gate visits for nothing that never matter.
const NEGLIGIBLE: u64 = 4_000_000;

/// So many gates are built in the time of one step. In searches of seven programs a gate took 0.1 to
/// 0.8 µs for most kinds of operations: many gates that are counted turn out to be constant.
const GATES_PER_STEP: u64 = 100;

/// Estimates what the solver holds and what of it the present problem uses.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    loaded: FxHashSet<Term>,
    /// Terms of the present problem with their gates, and whether they were not loaded before.
    present: Vec<(Term, u64, bool)>,
    /// Gates of all loaded terms.
    total: u64,
    /// Gates of the present problem.
    live: u64,
    /// Gates of the present problem that were not loaded before.
    fresh: u64,
    /// Gate visits for nothing since the solver was started.
    waste: u64,
}

impl Ledger {
    /// Begins another problem.
    pub(super) fn next(&mut self) {
        (self.live, self.fresh) = (0, 0);
        self.present.clear();
    }

    /// The present problem uses this term.
    pub(super) fn uses(&mut self, term: Term, gates: u64) {
        self.live += gates;
        let is_new = self.loaded.insert(term);
        if is_new {
            self.total += gates;
            self.fresh += gates;
        }
        self.present.push((term, gates, is_new));
    }

    /// The present problem is not handed to the solver: what is new in it is not built.
    pub(super) fn refuse(&mut self) {
        for (term, gates, is_new) in self.present.drain(..) {
            if is_new {
                self.loaded.remove(&term);
                self.total -= gates;
            }
        }
        (self.live, self.fresh) = (0, 0);
    }

    /// Steps that it takes to build what the present problem needs and is not there yet.
    pub(super) fn cost(&self) -> u64 {
        self.fresh / GATES_PER_STEP
    }

    /// Nodes and gates that the check of the present problem goes through: its own, and all that the
    /// solver holds.
    pub(super) fn visits(&self) -> u64 {
        self.present.len() as u64 + self.total
    }

    /// Should the solver be started afresh before the present problem's check? If so, the
    /// ledger is that of a fresh solver already.
    pub(super) fn wants_reset(&mut self) -> bool {
        self.waste += self.total.saturating_sub(self.live);
        let wants = self.waste > self.live.saturating_mul(REBUILD).saturating_add(NEGLIGIBLE);
        if wants {
            self.loaded.clear();
            (self.total, self.fresh, self.live, self.waste) = (0, 0, 0, 0);
            for (term, gates, _) in std::mem::take(&mut self.present) {
                if !self.loaded.contains(&term) {
                    self.uses(term, gates);
                }
            }
        }
        wants
    }
}

/// About how many gates an operation of this width has.
pub(super) fn gates(op: Op, width: u32) -> u64 {
    let width = u64::from(width);
    match op {
        Op::Const | Op::Symbol | Op::Not | Op::ZExt | Op::SExt | Op::Extract | Op::Concat => 0,
        Op::External | Op::FNeg | Op::FAbs => 0,
        // Their trees are counted where they are built.
        Op::Table => 0,
        Op::And | Op::Or => width,
        Op::Xor | Op::Ite | Op::Eq => 3 * width,
        Op::Add | Op::Sub | Op::Neg | Op::Ult | Op::Ule | Op::Slt | Op::Sle => 8 * width,
        Op::Shl | Op::LShr | Op::AShr => 24 * width,
        Op::Mul => 8 * width * width,
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem => 20 * width * width,
        Op::FDiv | Op::FSqrt => 20 * width * width,
        Op::FMul => 8 * width * width,
        Op::FRem => 1000 * width * width,
        Op::FOeq | Op::FOlt | Op::FOle | Op::FUno => 100 * width,
        Op::FAdd | Op::FSub | Op::FToF | Op::FToU | Op::FToS | Op::UToF | Op::SToF => 200 * width,
        Op::FRound => 200 * width,
        Op::PopCount | Op::LeadingZeros | Op::TrailingZeros => 30 * width,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitwuzla::{Instance, Settings};

    /// Number of resets in `rounds` rounds of problems with these terms and sizes.
    fn resets(problems: &[&[(Term, u64)]], rounds: usize) -> usize {
        let mut ledger = Ledger::default();
        let mut count = 0;
        for problem in problems.iter().cycle().take(rounds) {
            ledger.next();
            for &(term, gates) in *problem {
                ledger.uses(term, gates);
            }
            count += usize::from(ledger.wants_reset());
        }
        count
    }

    #[test]
    fn what_was_refused_is_not_loaded() {
        let mut solver = Instance::new(&Settings::default()).unwrap();
        let terms: Vec<_> = (0..3).map(|value| solver.bits(8, value).unwrap()).collect();
        let mut ledger = Ledger::default();
        ledger.uses(terms[0], 1_000);
        ledger.next();
        ledger.uses(terms[0], 1_000);
        ledger.uses(terms[1], 50_000);
        assert_eq!(ledger.cost(), 50_000 / GATES_PER_STEP);
        ledger.refuse();
        ledger.next();
        for term in [0, 1, 2] {
            ledger.uses(terms[term], 50_000);
        }
        assert_eq!(ledger.cost(), 100_000 / GATES_PER_STEP);
    }

    #[test]
    fn only_garbage_leads_to_a_reset() {
        let mut solver = Instance::new(&Settings::default()).unwrap();
        let terms: Vec<_> = (0..2).map(|value| solver.bits(8, value).unwrap()).collect();
        let large = [(terms[0], 1_000_000)];
        let small = [(terms[1], 1_000)];
        assert_eq!(resets(&[&large], 10_000), 0);
        assert_eq!(resets(&[&small], 10_000), 0);
        // Two halves alternate: each check walks as much for nothing as for something.
        assert_eq!(resets(&[&large, &[(terms[1], 1_000_000)]], 100), 0);
        // A small problem after a large one is not worth carrying the large one along.
        assert_eq!(
            resets(&[&large, &small, &small, &small, &small, &small, &small], 7),
            1
        );
    }
}
