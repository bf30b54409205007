//! The parts of a query, and operations on parts and models that several layers need.

use std::collections::{BTreeMap, BTreeSet};

use labrys_expr::{Environment, ExprId, Op, Pool, Symbol, SymbolSet, Value, union};
use rustc_hash::FxHashSet;

use crate::functions;
use crate::query::{Assignment, Core, Model};

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

/// Symbols that can have one value only, each with the positions of the parts that say so: of it
/// alone, or of it and other fixed symbols.
#[derive(Default)]
pub(crate) struct FixedSymbols(BTreeMap<Symbol, Vec<usize>>);

impl FixedSymbols {
    pub(crate) fn insert(&mut self, symbol: Symbol, reasons: Vec<usize>) {
        self.0.insert(symbol, reasons);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all of these symbols are fixed.
    pub(crate) fn covers(&self, symbols: SymbolSet<'_>) -> bool {
        symbols.len() <= self.0.len() && symbols.iter().all(|symbol| self.0.contains_key(&symbol))
    }

    /// The symbols.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.0.keys().copied()
    }

    /// The parts that fix those of these symbols that are fixed, and those that fix the symbols of
    /// these parts.
    pub(crate) fn reasons(
        &self,
        pool: &Pool,
        parts: &[Part],
        symbols: SymbolSet<'_>,
    ) -> BTreeSet<usize> {
        let mut reasons = BTreeSet::new();
        // Many parts have the same symbols.
        let (mut seen, mut sets) = (FxHashSet::default(), FxHashSet::default());
        let mut open = vec![symbols];
        while let Some(symbols) = open.pop() {
            let fresh = symbols.iter().filter(|symbol| seen.insert(*symbol));
            let fixed = fresh.filter_map(|symbol| self.0.get(&symbol));
            for position in fixed.flatten() {
                let id = parts[*position].id;
                if reasons.insert(*position) && sets.insert(pool.symbols_number(id)) {
                    open.push(pool.symbols(id));
                }
            }
        }
        reasons
    }

    /// A part, with the parts that fix its symbols.
    pub(crate) fn reasons_with(&self, pool: &Pool, parts: &[Part], position: usize) -> Vec<usize> {
        let symbols = pool.symbols(parts[position].id);
        let reasons = self.reasons(pool, parts, symbols);
        reasons.into_iter().chain([position]).collect()
    }
}

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

/// The constraints that parts come from.
pub(crate) fn origins(parts: &[Part], positions: &[usize]) -> Core {
    let mut origins: Vec<_> = positions.iter().map(|at| parts[*at].origin).collect();
    origins.sort_unstable();
    origins.dedup();
    Core(origins)
}

/// All symbols of the parts.
pub(crate) fn symbols(pool: &Pool, parts: &[Part]) -> Vec<Symbol> {
    // Many parts have the same symbols.
    let mut seen = FxHashSet::default();
    let fresh = |part: &&Part| seen.insert(pool.symbols_number(part.id));
    union(parts.iter().filter(fresh).map(|part| pool.symbols(part.id)))
}

/// Names the values of an assignment for the symbols of the parts that the model leaves open.
pub(crate) fn complete(pool: &Pool, parts: &[Part], values: &Assignment, model: &mut Model) {
    for symbol in symbols(pool, parts) {
        model.0.entry(symbol).or_insert_with(|| values.get(symbol));
    }
}
