//! What loops count with, as the analysis of values knows it: from behind, a counter could come from
//! any number that leads on.

use labrys_analysis::NumberSet;
use labrys_expr::{ExprId, Pool};

use crate::state::State;
use crate::terms::Terms;

/// At the header of a loop, the phis that the path uses are numbers that they may be.
pub(crate) fn require_counters(terms: &mut Terms<'_>, state: &mut State) {
    let analysis = terms.analysis();
    let function = state.function();
    let Some(block) = analysis.function(function).block(state.block()) else {
        return;
    };
    for phi in &block.phis {
        let used = state.frame().scalar(phi.result);
        let Some((used, set)) = used.zip(analysis.counter(function, phi.result)) else {
            continue;
        };
        let among = is_among(terms.pool_mut(), used, set);
        if among != ExprId::TRUE {
            terms.assume_all();
            state.require(terms, among);
        }
    }
}

fn is_among(pool: &mut Pool, value: ExprId, set: &NumberSet) -> ExprId {
    let width = pool.width(value);
    let number = |pool: &mut Pool, bits: u64| pool.constant(width, u128::from(bits));
    match set {
        NumberSet::Few(all) => {
            let mut any = ExprId::FALSE;
            for bits in all {
                let number = number(pool, *bits);
                let same = pool.eq(value, number);
                any = pool.or(any, same);
            }
            any
        }
        NumberSet::Between { unsigned, signed } => {
            let ends = [unsigned.0, unsigned.1].map(|bits| number(pool, bits));
            let least = number(pool, signed.0 as u64);
            let most = number(pool, signed.1 as u64);
            let conditions = [
                pool.ule(ends[0], value),
                pool.ule(value, ends[1]),
                pool.sle(least, value),
                pool.sle(value, most),
            ];
            pool.all(conditions)
        }
    }
}
