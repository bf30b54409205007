//! Interpolants as Bitwuzla reads them off its refutations, not yet confirmed.
//!
//! An instance that gives interpolants is several times slower, so each pair of sets gets one of
//! its own and queries never do.

use labrys_expr::{ExprId, Pool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::read_back::BackTranslation;
use super::terms::Terms;
use super::translate::Translator;
use crate::bitwuzla::{CheckLimits, Instance, Interpolation, Outcome, Settings, Term};
use crate::query::{Budget, Reason};

/// What Bitwuzla says of two sets of conditions.
pub(crate) enum Separation {
    /// They contradict each other; this should be an interpolant.
    Interpolant(ExprId),
    /// They can all be true.
    Satisfiable,
}

/// Separates two sets of conditions, within a budget.
pub(crate) fn separate(
    pool: &mut Pool,
    a: &[ExprId],
    b: &[ExprId],
    system: Interpolation,
    budget: &Budget,
) -> Result<Separation, Reason> {
    if let Some(what) = unsuited(pool, a.iter().chain(b)) {
        return Err(Reason::Unsupported(what.into()));
    }
    let settings = Settings {
        interpolants: Some(system),
        ..Settings::default()
    };
    let mut translator = Translator::new(Terms::new(Instance::new(&settings)?));
    translator.start_pool(budget.steps);
    let mut asserted = Vec::new();
    for &condition in a.iter().chain(b) {
        let term = translator.formula(pool, condition)?;
        translator.terms.instance.assert(term)?;
        asserted.push(term);
    }
    let limits = CheckLimits {
        steps: budget.steps,
        timeout: budget.timeout,
        cancel: budget.cancel.as_deref(),
    };
    match translator.terms.instance.check(&[], &limits)? {
        Outcome::Unknown(stop) => return Err(stop.into()),
        Outcome::Sat => return Ok(Separation::Satisfiable),
        Outcome::Unsat => {}
    }
    let part = &asserted[..a.len()];
    let term = translator.terms.instance.interpolant(part, &limits)?;
    let mut symbols = FxHashMap::default();
    for &condition in a.iter().chain(b) {
        for symbol in pool.symbols(condition).iter() {
            let known: Option<Term> = translator.symbol(symbol);
            symbols.extend(known.map(|term| (term, symbol)));
        }
    }
    let instance = &mut translator.terms.instance;
    let interpolant = BackTranslation::new(instance, pool, &symbols).read(term)?;
    Ok(Separation::Interpolant(interpolant))
}

/// Why conditions are not for interpolation, which knows bit-vectors only.
fn unsuited<'a>(pool: &Pool, conditions: impl Iterator<Item = &'a ExprId>) -> Option<&'static str> {
    let mut seen = FxHashSet::default();
    let mut stack: Vec<ExprId> = conditions.copied().collect();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let op = pool.op(id);
        if op.takes_floats() || op.gives_float() {
            return Some("interpolants of floats");
        }
        if op == labrys_expr::Op::External {
            return Some("interpolants of external functions");
        }
        pool.for_each_child(id, |child| stack.push(child));
    }
    None
}
