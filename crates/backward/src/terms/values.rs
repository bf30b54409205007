//! Symbols that stand for the content of globals that only ever hold a few numbers.

use std::rc::Rc;

use labrys_expr::{ExprId, Pool, Symbol};
use rustc_hash::FxHashMap;

/// The numbers that symbols may be, in any state.
#[derive(Debug, Default)]
pub(super) struct SymbolValues {
    values: FxHashMap<Symbol, (ExprId, Rc<[u128]>)>,
}

impl SymbolValues {
    /// A symbol is one of these numbers.
    pub(super) fn note(&mut self, pool: &Pool, symbol: ExprId, values: Vec<u128>) {
        if let Some(name) = pool.as_symbol(symbol) {
            self.values.insert(name, (symbol, values.into()));
        }
    }

    /// Another symbol may be the same numbers as a symbol.
    pub(super) fn copy(&mut self, pool: &Pool, symbol: Symbol, other: ExprId) {
        let values = self.values.get(&symbol).map(|(_, values)| values.clone());
        if let (Some(values), Some(name)) = (values, pool.as_symbol(other)) {
            self.values.insert(name, (other, values));
        }
    }

    /// Adds the axioms on the symbols of some constraints.
    pub(super) fn add_axioms(
        &self,
        pool: &mut Pool,
        constraints: &[ExprId],
        axioms: &mut Vec<ExprId>,
    ) {
        if self.values.is_empty() {
            return;
        }
        let symbols = constraints
            .iter()
            .flat_map(|constraint| pool.symbols(*constraint).iter());
        let mut known: Vec<Symbol> = symbols
            .filter(|symbol| self.values.contains_key(symbol))
            .collect();
        known.sort_unstable();
        known.dedup();
        for symbol in known {
            let (symbol, values) = &self.values[&symbol];
            axioms.push(is_one_of(pool, *symbol, values));
        }
    }
}

fn is_one_of(pool: &mut Pool, symbol: ExprId, values: &[u128]) -> ExprId {
    let width = pool.width(symbol);
    let mut any = ExprId::FALSE;
    for bits in values {
        let number = pool.constant(width, *bits);
        let equal = pool.eq(symbol, number);
        any = pool.or(any, equal);
    }
    any
}
