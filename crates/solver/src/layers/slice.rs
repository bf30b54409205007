//! Independence: which constraints of a query matter for its goal.
//!
//! Two constraints depend on each other if they share a symbol, directly or through others.
//! Law: the hint's values make every constraint outside the slice true, and none of these has a
//! symbol in common with one inside; so a model of the slice, with the hint's values for the
//! rest, is a model of the query.

use labrys_expr::Pool;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::parts::{Part, complete};
use crate::query::Model;
use crate::schedule::{Layer, Patience, Shared, Task, Verdict};
use crate::valuation::Valuation;

/// The layer. Where the hint satisfies all that matters, it is the model.
#[derive(Default)]
pub(super) struct Slice {
    hinted: Valuation,
}

impl Layer for Slice {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, _: Patience) -> Verdict {
        let pool = &*task.query.pool;
        let evaluated = self.hinted.computed();
        self.hinted.start(pool, task.query.hint);
        task.parts = slice(pool, &task.parts, task.goals, &mut self.hinted);
        shared.visit(self.hinted.computed() - evaluated);
        let mut parts = task.parts.iter();
        if !parts.all(|part| self.hinted.holds(pool, part.id)) {
            return Verdict::Pass;
        }
        let mut model = Model::default();
        complete(pool, &task.parts, task.query.hint, &mut model);
        Verdict::Model(model)
    }
}

/// The parts that depend on the goal or on a part that the hint does not satisfy. `goals` is the
/// number of parts at the end that belong to the goal.
fn slice(pool: &Pool, parts: &[Part], goals: usize, hinted: &mut Valuation) -> Vec<Part> {
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
