//! What the parts of a query say of the expressions that other parts are made of: `e = 5` makes
//! every other `e` a 5, and a condition that holds is true wherever else it stands.

use labrys_expr::{ExprId, Pool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::parts::Part;

/// What a part says: an expression has a value.
#[derive(Clone, Copy)]
pub(crate) struct Fact {
    pub(crate) about: ExprId,
    pub(crate) bits: u128,
    /// The position of the part.
    pub(crate) position: usize,
}

impl Fact {
    fn of(pool: &Pool, part: ExprId, position: usize) -> Self {
        let (about, bits) = pool.said_by(part);
        Fact {
            about,
            bits,
            position,
        }
    }
}

/// The facts of some parts.
///
/// Invariant: no fact is about something that the part of a fact before it is made of, but for
/// facts about the same expression.
#[derive(Default)]
pub(crate) struct Facts {
    list: Vec<Fact>,
    /// By expression: the part that says what it is.
    positions: FxHashMap<ExprId, usize>,
}

impl Facts {
    pub(crate) fn new(pool: &Pool, parts: &[Part]) -> Self {
        let facts = parts.iter().enumerate();
        let mut list: Vec<Fact> = facts
            .map(|(position, part)| Fact::of(pool, part.id, position))
            .collect();
        // Operands have smaller ids than their users.
        list.sort_by_key(|fact| (fact.about, fact.position));
        let mut positions = FxHashMap::default();
        for fact in &list {
            positions.entry(fact.about).or_insert(fact.position);
        }
        for fact in &list {
            let part = parts[fact.position].id;
            positions.entry(part).or_insert(fact.position);
        }
        Facts { list, positions }
    }

    /// The facts, those about operands first.
    pub(crate) fn list(&self) -> &[Fact] {
        &self.list
    }

    /// Whether a part says something of what another is made of.
    pub(crate) fn are_used(&self, pool: &Pool, parts: &[Part]) -> bool {
        let mut seen = FxHashSet::default();
        (0..parts.len()).any(|position| !self.uses(pool, parts, position, &mut seen).is_empty())
    }

    /// The positions of the parts that say something of what this one is made of.
    pub(crate) fn reasons(&self, pool: &Pool, parts: &[Part], position: usize) -> Vec<usize> {
        if self.list.is_empty() {
            return Vec::new();
        }
        self.uses(pool, parts, position, &mut FxHashSet::default())
    }

    /// The same, without what was seen before.
    fn uses(
        &self,
        pool: &Pool,
        parts: &[Part],
        position: usize,
        seen: &mut FxHashSet<ExprId>,
    ) -> Vec<usize> {
        let mut uses = Vec::new();
        let mut stack = vec![parts[position].id];
        while let Some(id) = stack.pop() {
            match self.positions.get(&id) {
                Some(other) if *other != position => uses.push(*other),
                // What a part says of itself does not count, but elsewhere it does.
                Some(_) => pool.for_each_child(id, |child| stack.push(child)),
                None if seen.insert(id) => pool.for_each_child(id, |child| stack.push(child)),
                None => {}
            }
        }
        uses
    }
}
