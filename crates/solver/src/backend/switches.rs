//! Formulas that can be switched on.
//!
//! Bitwuzla rewrites whatever it is given as an assumption anew in every check; on a path
//! through 150 table reads that was nine tenths of the time. So a formula of a path prefix is
//! asserted once, behind a fresh constant, and only the constant is assumed. The goal is seldom
//! asked about again and is assumed as it is.

use rustc_hash::FxHashMap;

use super::terms::Terms;
use crate::bitwuzla::{Error, Kind, Term, TermSort};

/// The switches of the formulas that one solver holds.
#[derive(Debug, Default)]
pub(super) struct Switches {
    by_formula: FxHashMap<Term, Term>,
}

impl Switches {
    /// For each formula what to assume; the last formula is the goal.
    pub(super) fn assumptions(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
    ) -> Result<Vec<Term>, Error> {
        let Some((&goal, prefix)) = formulas.split_last() else {
            return Ok(Vec::new());
        };
        let mut assumptions = Vec::with_capacity(formulas.len());
        for &formula in prefix {
            assumptions.push(self.switch(terms, formula)?);
        }
        assumptions.push(self.by_formula.get(&goal).copied().unwrap_or(goal));
        Ok(assumptions)
    }

    fn switch(&mut self, terms: &mut Terms, formula: Term) -> Result<Term, Error> {
        if let Some(&known) = self.by_formula.get(&formula) {
            return Ok(known);
        }
        let switch = terms.instance.constant(TermSort::Bool, "switch")?;
        let implication = terms.term(Kind::Implies, &[switch, formula])?;
        terms.instance.assert(implication)?;
        self.by_formula.insert(formula, switch);
        Ok(switch)
    }

    /// The solver has dropped its assertions.
    pub(super) fn clear(&mut self) {
        self.by_formula.clear();
    }
}
