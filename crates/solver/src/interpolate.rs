//! Craig interpolants: what a set of conditions A says that another, B, contradicts.
//!
//! An interpolant I of A and B follows from A, contradicts B, and has only symbols that both have.
//! Bitwuzla reads one off its refutation in the system of McMillan (Interpolation and SAT-based
//! model checking, 2003) and one in that of Pudlák (Lower bounds for resolution and cutting plane
//! proofs, 1997); the weaker is given, for it says no more of A than the contradiction needs. Where
//! Bitwuzla refuses, as for floats, unsatisfiable cores serve: conditions of A on shared symbols
//! that contradict B, or the negation of such conditions of B.
//!
//! Law: every interpolant that is given passed [`Interpolator::check`].

use std::collections::BTreeSet;

use labrys_expr::{ExprId, Op, Pool, Rebuilt, Symbol, mask};

use crate::backend::{Backend, Separation, separate};
use crate::bitwuzla::{Error, Interpolation, Settings};
use crate::core::{Cores, NoCore};
use crate::query::{Answer, Assignment, Budget, Query, Reason, Solver};

/// Why there is no interpolant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoInterpolant {
    /// The two sets do not contradict each other.
    Satisfiable,
    /// None was found.
    Unknown(Reason),
}

/// Why a condition is not an interpolant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// It has a symbol that only one of the sets has, or none.
    NotShared(Symbol),
    /// It does not follow from A.
    NotImplied,
    /// It does not contradict B.
    NotContradicted,
    /// The back end gave up.
    Unknown(Reason),
}

/// Finds interpolants and checks them.
pub struct Interpolator {
    checker: Backend,
    cores: Cores,
}

impl Interpolator {
    /// With back ends of its own.
    ///
    /// # Errors
    /// If Bitwuzla is not installed.
    pub fn new() -> Result<Self, Error> {
        Ok(Interpolator {
            checker: Backend::new(Settings::default())?,
            cores: Cores::new()?,
        })
    }

    /// An interpolant of two sets of conditions. The budget is for each query that this takes.
    ///
    /// # Errors
    /// If the sets do not contradict each other, or no interpolant was found.
    pub fn interpolate(
        &mut self,
        pool: &mut Pool,
        a: &[ExprId],
        b: &[ExprId],
        budget: &Budget,
    ) -> Result<ExprId, NoInterpolant> {
        let mut found: Option<ExprId> = None;
        for system in [Interpolation::McMillan, Interpolation::Pudlak] {
            match separate(pool, a, b, system, budget) {
                Ok(Separation::Interpolant(interpolant)) => {
                    let interpolant = with_comparisons(pool, interpolant);
                    self.offer(pool, a, b, interpolant, &mut found, budget);
                }
                Ok(Separation::Satisfiable) => return Err(NoInterpolant::Satisfiable),
                // The other system would be refused for the same reason.
                Err(_) => break,
            }
        }
        match found {
            Some(interpolant) => Ok(interpolant),
            None => self.by_cores(pool, a, b, budget),
        }
    }

    /// Whether a condition is an interpolant of two sets.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(
        &mut self,
        pool: &mut Pool,
        a: &[ExprId],
        b: &[ExprId],
        interpolant: ExprId,
        budget: &Budget,
    ) -> Result<(), Defect> {
        let shared = shared_symbols(pool, a, b);
        let foreign = {
            let mut symbols = pool.symbols(interpolant).iter();
            symbols.find(|symbol| !shared.contains(symbol))
        };
        if let Some(symbol) = foreign {
            return Err(Defect::NotShared(symbol));
        }
        let negation = pool.not(interpolant);
        self.refute(pool, a, negation, budget)
            .map_err(|reason| reason.map_or(Defect::NotImplied, Defect::Unknown))?;
        self.refute(pool, b, interpolant, budget)
            .map_err(|reason| reason.map_or(Defect::NotContradicted, Defect::Unknown))
    }

    /// Refutes conditions together with one more; else why that is not known, if it is not.
    fn refute(
        &mut self,
        pool: &mut Pool,
        conditions: &[ExprId],
        more: ExprId,
        budget: &Budget,
    ) -> Result<(), Option<Reason>> {
        let answer = self.checker.check(&mut Query {
            pool,
            constraints: conditions.iter().copied().chain([more]).collect(),
            hint: &Assignment::new(),
            budget: budget.clone(),
        });
        match answer {
            Answer::Unsat(_) => Ok(()),
            Answer::Sat(_) => Err(None),
            Answer::Unknown(reason) => Err(Some(reason)),
        }
    }

    /// Takes a proposed interpolant if it is one and no known one is weaker.
    fn offer(
        &mut self,
        pool: &mut Pool,
        a: &[ExprId],
        b: &[ExprId],
        proposed: ExprId,
        found: &mut Option<ExprId>,
        budget: &Budget,
    ) {
        if *found == Some(proposed) || self.check(pool, a, b, proposed, budget).is_err() {
            return;
        }
        let Some(known) = *found else {
            *found = Some(proposed);
            return;
        };
        let negation = pool.not(proposed);
        if self.refute(pool, &[known], negation, budget).is_ok() {
            *found = Some(proposed);
        }
    }

    /// An interpolant made of conditions that have shared symbols only.
    fn by_cores(
        &mut self,
        pool: &mut Pool,
        a: &[ExprId],
        b: &[ExprId],
        budget: &Budget,
    ) -> Result<ExprId, NoInterpolant> {
        let shared = shared_symbols(pool, a, b);
        let only_shared = |id: &ExprId| pool.symbols(*id).iter().all(|s| shared.contains(&s));
        let from_a: Vec<ExprId> = a.iter().copied().filter(only_shared).collect();
        let from_b: Vec<ExprId> = b.iter().copied().filter(only_shared).collect();
        let mut found = None;
        if let Ok(core) = self.cores.minimal(pool, b, &from_a, budget) {
            let interpolant = pool.all(core.into_iter().map(|at| from_a[at]));
            self.offer(pool, a, b, interpolant, &mut found, budget);
        }
        if let Ok(core) = self.cores.minimal(pool, a, &from_b, budget) {
            let contradicted = pool.all(core.into_iter().map(|at| from_b[at]));
            let interpolant = pool.not(contradicted);
            self.offer(pool, a, b, interpolant, &mut found, budget);
        }
        if let Some(interpolant) = found {
            return Ok(interpolant);
        }
        Err(match self.cores.minimal(pool, a, b, budget) {
            Err(NoCore::Satisfiable) => NoInterpolant::Satisfiable,
            Err(NoCore::Unknown(reason)) => NoInterpolant::Unknown(reason),
            Ok(_) => NoInterpolant::Unknown(Reason::Unsupported(
                "interpolants of these operations".into(),
            )),
        })
    }
}

/// The symbols that both sets have.
fn shared_symbols(pool: &Pool, a: &[ExprId], b: &[ExprId]) -> BTreeSet<Symbol> {
    let all = |conditions: &[ExprId]| {
        let symbols = conditions.iter().flat_map(|id| pool.symbols(*id).iter());
        symbols.collect::<BTreeSet<Symbol>>()
    };
    all(a).intersection(&all(b)).copied().collect()
}

/// A condition with comparisons for what it says of the highest bits of numbers: that they are 0, or
/// all 1, and for the sign.
fn with_comparisons(pool: &mut Pool, condition: ExprId) -> ExprId {
    pool.rebuild(None, condition, &mut Rebuilt::new(), &mut comparison)
}

fn comparison(pool: &mut Pool, id: ExprId) -> Option<ExprId> {
    let node = *pool.node(id);
    if node.width() > 1 {
        // Numbers stay as they are.
        return Some(id);
    }
    if node.op() == Op::Extract && node.width() == 1 {
        let number = *node.operands().first()?;
        let width = pool.width(number);
        if node.low() + 1 == width && width > 1 {
            let zero = pool.constant(width, 0);
            return Some(pool.slt(number, zero));
        }
    }
    let (Op::Eq, &[high, bits]) = (node.op(), node.operands()) else {
        return None;
    };
    let bits = pool.bits(bits)?;
    let high = *pool.node(high);
    if high.op() != Op::Extract {
        return None;
    }
    let number = *high.operands().first()?;
    let (width, low) = (pool.width(number), high.low());
    if low + high.width() != width || low == 0 {
        return None;
    }
    if bits == 0 {
        let limit = pool.constant(width, 1 << low);
        return Some(pool.ult(number, limit));
    }
    (bits == mask(high.width())).then(|| {
        let limit = pool.constant(width, bits << low);
        pool.ule(limit, number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_bits_become_comparisons() {
        let mut pool = Pool::new();
        let x = pool.symbol(Symbol::Named { id: 0, width: 32 });
        let [zero, low, high] = [0, 0x100, 0xffff_ff00].map(|bits| pool.constant(32, bits));
        let [zeros, ones] = [0, 0xff_ffff].map(|bits| pool.constant(24, bits));
        let bits = pool.extract(x, 8, 24);
        let (is_small, is_large) = (pool.eq(bits, zeros), pool.eq(bits, ones));
        let sign = pool.extract(x, 31, 1);
        let positive = pool.not(sign);
        let said = [is_small, is_large, positive];
        let all = pool.any(said);
        let small = pool.ult(x, low);
        let large = pool.ule(high, x);
        let negative = pool.slt(x, zero);
        let not_negative = pool.not(negative);
        let expected = pool.any([small, large, not_negative]);
        assert_ne!(all, expected);
        assert_eq!(with_comparisons(&mut pool, all), expected);
    }
}
