//! A solver for tests: tries all values of up to two symbols, then random ones.

use std::collections::BTreeSet;

use labrys_expr::{Evaluator, Symbol};
use labrys_solver::{Answer, Assignment, Core, Model, Query, Reason, Solver};

/// Lengths up to this are tried.
const LENGTHS: u128 = 40;

pub(crate) struct BruteForce;

impl Solver for BruteForce {
    fn check(&mut self, query: &mut Query<'_>) -> Answer {
        let mut symbols: BTreeSet<Symbol> = BTreeSet::new();
        for constraint in &query.constraints {
            symbols.extend(query.pool.symbols(*constraint).iter());
        }
        let symbols: Vec<Symbol> = symbols.into_iter().collect();
        let mut evaluator = Evaluator::new();
        let mut holds = |values: &[u128]| {
            let model = Model(
                symbols
                    .iter()
                    .copied()
                    .zip(values.iter().copied())
                    .collect(),
            );
            let assignment: Assignment = query.hint.with(&model);
            evaluator.reset();
            let mut all = query.constraints.iter();
            let all = all.all(|id| evaluator.holds(query.pool, *id, &assignment));
            all.then_some(model)
        };
        let count = |symbol: &Symbol| if symbol.width() == 8 { 256 } else { LENGTHS };
        let space: u128 = symbols.iter().map(count).product();
        if symbols.len() > 3 {
            return Answer::Unknown(Reason::Unsupported("many symbols".to_owned()));
        }
        for number in 0..space {
            let mut rest = number;
            let mut values = Vec::new();
            for symbol in &symbols {
                values.push(rest % count(symbol));
                rest /= count(symbol);
            }
            if let Some(model) = holds(&values) {
                return Answer::Sat(model);
            }
        }
        Answer::Unsat(Core((0..query.constraints.len()).collect()))
    }
}
