//! Independence: which constraints of a query matter for its goal.
//!
//! Two constraints depend on each other if they share a symbol, directly or through others.
//! Law: the hint's values make every constraint outside the slice true, and none of these has a
//! symbol in common with one inside; so a model of the slice, with the hint's values for the
//! rest, is a model of the query.

use labrys_expr::{Evaluator, ExprId, Op, Pool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::query::Assignment;

/// A condition that must hold, and the constraint of the query that it is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) id: ExprId,
    pub(crate) origin: usize,
}

/// The conjuncts of all constraints, each once; those of the goal, the last constraint, last.
pub(crate) fn conjuncts(pool: &Pool, constraints: &[ExprId]) -> Vec<Part> {
    let mut parts = Vec::with_capacity(constraints.len());
    let mut seen = FxHashSet::default();
    let mut stack = Vec::new();
    for (origin, &constraint) in constraints.iter().enumerate() {
        stack.push(constraint);
        while let Some(id) = stack.pop() {
            if id == ExprId::TRUE || !seen.insert(id) {
                continue;
            }
            let node = pool.node(id);
            if node.op() == Op::And {
                stack.extend(node.operands().iter().rev());
            } else {
                parts.push(Part { id, origin });
            }
        }
    }
    parts
}

/// Evaluates under a query's hint, or values near it, and remembers the results as long as pool
/// and values stay.
#[derive(Default)]
pub(crate) struct Hinted {
    evaluator: Evaluator,
    generation: u64,
    hint: Assignment,
}

impl Hinted {
    /// Prepares for questions about this pool and these values.
    pub(crate) fn start(&mut self, pool: &Pool, hint: &Assignment) {
        if self.generation != pool.generation() || self.hint != *hint {
            self.evaluator.reset();
            self.generation = pool.generation();
            self.hint.clone_from(hint);
        }
    }

    /// The values that it evaluates under.
    pub(crate) fn assignment(&self) -> &Assignment {
        &self.hint
    }

    pub(crate) fn holds(&mut self, pool: &Pool, id: ExprId) -> bool {
        self.evaluator.holds(pool, id, &self.hint)
    }

    /// The value of an expression under the hint.
    pub(crate) fn value(&mut self, pool: &Pool, id: ExprId) -> Option<u128> {
        self.evaluator
            .evaluate(pool, id, &self.hint)
            .map(labrys_expr::Value::bits)
    }
}

/// The parts that depend on the goal or on a part that the hint does not satisfy. `goals` is the
/// number of parts at the end that belong to the goal.
pub(crate) fn slice(pool: &Pool, parts: &[Part], goals: usize, hinted: &mut Hinted) -> Vec<Part> {
    let mut groups = Groups::new(pool, parts);
    let mut wanted = FxHashSet::default();
    for (index, part) in parts.iter().enumerate() {
        if index + goals >= parts.len() || !hinted.holds(pool, part.id) {
            wanted.insert(groups.of(pool.symbols_number(part.id)));
        }
    }
    parts
        .iter()
        .filter(|part| wanted.contains(&groups.of(pool.symbols_number(part.id))))
        .copied()
        .collect()
}

/// Union-find over symbol sets that share symbols.
struct Groups {
    /// Positions of set numbers in `parents`.
    positions: FxHashMap<u32, usize>,
    parents: Vec<usize>,
}

impl Groups {
    fn new(pool: &Pool, parts: &[Part]) -> Self {
        let mut groups = Groups {
            positions: FxHashMap::default(),
            parents: Vec::new(),
        };
        let mut ranges = Vec::new();
        for part in parts {
            let fresh = groups.parents.len();
            let number = pool.symbols_number(part.id);
            if *groups.positions.entry(number).or_insert(fresh) == fresh {
                groups.parents.push(fresh);
                let set = pool.symbols(part.id);
                ranges.extend(
                    set.ranges()
                        .iter()
                        .map(|(start, end)| (*start, *end, fresh)),
                );
            }
        }
        ranges.sort_unstable();
        // What starts before the furthest end so far overlaps the range that ends there.
        let mut furthest: Option<(u64, usize)> = None;
        for (start, end, set) in ranges {
            match furthest {
                Some((limit, other)) if start < limit => {
                    groups.unite(other, set);
                    if end > limit {
                        furthest = Some((end, set));
                    }
                }
                _ => furthest = Some((end, set)),
            }
        }
        groups
    }

    fn of(&mut self, number: u32) -> usize {
        let position = self.positions.get(&number).copied().unwrap_or(0);
        self.root(position)
    }

    fn root(&mut self, mut position: usize) -> usize {
        while self.parents[position] != position {
            self.parents[position] = self.parents[self.parents[position]];
            position = self.parents[position];
        }
        position
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b);
    }
}
