//! What the layers do with the parts of a query and with models.

use labrys_expr::{Environment, ExprId, Op, Pool, Symbol, Value, union};
use rustc_hash::FxHashMap;

use crate::functions;
use crate::query::{Answer, Assignment, Core, Model};
use crate::slice::Part;

/// The values of a model over those of a hint.
pub(crate) struct Overlay<'a> {
    pub(crate) model: &'a Model,
    pub(crate) hint: &'a Assignment,
}

impl Environment for Overlay<'_> {
    fn symbol(&self, symbol: Symbol) -> u128 {
        self.model
            .get(symbol)
            .unwrap_or_else(|| self.hint.get(symbol))
    }

    fn external(&self, name: &str, arguments: &[Value], width: u32) -> Option<u128> {
        functions::call(name, arguments, width)
    }
}

/// A query with a false part, or with a part and its negation.
pub(crate) fn contradiction(pool: &Pool, parts: &[Part]) -> Option<Answer> {
    let mut places = FxHashMap::default();
    for (index, part) in parts.iter().enumerate() {
        if part.id == ExprId::FALSE {
            return Some(Answer::Unsat(origins(parts, &[index])));
        }
        places.insert(part.id, index);
    }
    parts.iter().enumerate().find_map(|(index, part)| {
        let node = pool.node(part.id);
        let negated = *node.operands().first().filter(|_| node.op() == Op::Not)?;
        let other = *places.get(&negated)?;
        Some(Answer::Unsat(origins(parts, &[other, index])))
    })
}

/// The constraints that parts come from.
pub(crate) fn origins(parts: &[Part], indices: &[usize]) -> Core {
    let mut origins: Vec<_> = indices.iter().map(|index| parts[*index].origin).collect();
    origins.sort_unstable();
    origins.dedup();
    Core(origins)
}

/// All symbols of the parts.
pub(crate) fn symbols(pool: &Pool, parts: &[Part]) -> Vec<Symbol> {
    union(parts.iter().map(|part| pool.symbols(part.id)))
}

/// Names the values of an assignment for the symbols of the parts that the model leaves open.
pub(crate) fn complete(pool: &Pool, parts: &[Part], values: &Assignment, model: &mut Model) {
    for symbol in symbols(pool, parts) {
        model.0.entry(symbol).or_insert_with(|| values.get(symbol));
    }
}
