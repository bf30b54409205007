//! A path constraint that is simplified by itself: what earlier conditions say of an expression is
//! put into later ones.
//!
//! A scanner ends with the number of a rule, a parser goes from state to state, and the path says
//! which they are. All that follows depends on all bytes so far, but only through these numbers:
//! with their values most of it is constant. Where the path does not say a number, it says what a
//! byte may be: a number that comes from a table is constant if it is the same for all of these
//! bytes. Many flips are refuted so without a query, and the queries for the others are small.
//!
//! Law: where the conditions of a step's slice hold (the hard ones, or all), what is left of its condition in any direction
//! has the value of that condition; and what is left of the conditions of a slice has the models of
//! the slice. (An expression whose value is put in has symbols of the step that says it, so that
//! step is in the slice.)
//!
//! What soft conditions say is put in where they are kept; a query that drops them takes what is
//! left by the hard ones alone.

use labrys_expr::{Columns, ExprId, Op, Pool, Rebuilt, Symbol};
use rustc_hash::FxHashMap;

use crate::domains::Domains;
use crate::{Decoder, Trace};

/// What depends on more symbols stays as it is when one of them is known better.
const FEW_SYMBOLS: usize = 4;

/// What is left of the steps of a trace, as far as they were asked for. It is used with one trace
/// and its decoder only.
#[derive(Debug)]
pub struct Simplified {
    with_soft: bool,
    rebuilt: Rebuilt,
    domains: Domains,
    /// By symbol: expressions that were rebuilt to something that depends on it.
    dependents: FxHashMap<Symbol, Vec<ExprId>>,
    /// By step: what is left of the value that decides, and of the step's condition.
    left: Vec<(ExprId, ExprId)>,
    /// Nodes that were simplified.
    nodes: u64,
}

impl Simplified {
    /// Nothing is simplified yet. Soft conditions are put in too, or not.
    #[must_use]
    pub fn new(with_soft: bool) -> Self {
        Simplified {
            with_soft,
            rebuilt: Rebuilt::new(),
            domains: Domains::default(),
            dependents: FxHashMap::default(),
            left: Vec::new(),
            nodes: 0,
        }
    }

    /// What is left of the condition under which a step goes into a direction. The columns may be
    /// shared with other traces.
    pub fn flipped(
        &mut self,
        trace: &Trace,
        decoder: &mut Decoder,
        columns: &mut Columns,
        (step, direction): (usize, u32),
    ) -> ExprId {
        for next in self.left.len()..=step {
            self.push(trace, decoder, columns, next);
        }
        let (value, condition) = self.left[step];
        if direction == trace.steps()[step].direction {
            return condition;
        }
        trace.flipped_by(decoder, value, step, direction)
    }

    /// Simplifies the next step.
    fn push(&mut self, trace: &Trace, decoder: &mut Decoder, columns: &mut Columns, step: usize) {
        let there = trace.steps()[step];
        let whole = trace.expression(decoder, there.label);
        let value = self.rebuild(decoder.pool_mut(), columns, whole);
        let left = trace.flipped_by(decoder, value, step, there.direction);
        self.left.push((value, left));
        if there.soft && !self.with_soft {
            return;
        }
        for condition in [trace.condition(decoder, step), left] {
            put(decoder.pool_mut(), condition, &mut self.rebuilt);
        }
        if let Some(symbol) = self.domains.narrow(decoder.pool(), columns, left) {
            self.forget(decoder.pool(), symbol);
        }
    }

    /// What is left of an expression.
    fn rebuild(&mut self, pool: &mut Pool, columns: &mut Columns, whole: ExprId) -> ExprId {
        let Simplified {
            domains,
            dependents,
            nodes,
            ..
        } = self;
        pool.rebuild_each(whole, &mut self.rebuilt, |pool, from, to| {
            *nodes += 1;
            let left = domains.constant(pool, columns, to).unwrap_or(to);
            let symbols = pool.symbols(left);
            if symbols.len() <= FEW_SYMBOLS {
                for symbol in symbols.iter() {
                    dependents.entry(symbol).or_default().push(from);
                }
            }
            left
        })
    }

    /// Forgets what depends on a symbol of which more is known now.
    fn forget(&mut self, pool: &Pool, symbol: Symbol) {
        for from in self.dependents.remove(&symbol).unwrap_or_default() {
            let left = self.rebuilt.get(from);
            if left.is_some_and(|left| pool.bits(left).is_none()) {
                self.rebuilt.forget(from);
            }
        }
    }

    /// Nodes that were simplified so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The number of steps that were simplified.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.left.len()
    }
}

/// Puts in what a condition says, and each of its conjuncts.
fn put(pool: &mut Pool, condition: ExprId, rebuilt: &mut Rebuilt) {
    let mut stack = vec![condition];
    while let Some(condition) = stack.pop() {
        let node = pool.node(condition);
        if node.op() == Op::And {
            stack.extend(node.operands());
        }
        let (about, bits) = pool.said_by(condition);
        let value = pool.constant(pool.width(about), bits);
        rebuilt.put(about, value);
        rebuilt.put(condition, ExprId::TRUE);
    }
}
