//! Substitution of symbols by the values that they turn out to have.

use labrys_expr::{ExprId, Pool, Rebuilt, Symbol};
use labrys_semantics::IrValue;
use rustc_hash::FxHashMap;

use super::SymbolicValue;

/// Memory of substitutions, kept so that none has to begin with a fresh one.
#[derive(Debug, Default)]
pub(super) struct Substitution {
    rebuilt: Rebuilt,
    /// By set of symbols: whether one of them is replaced.
    concerned: FxHashMap<u32, bool>,
    values: FxHashMap<Symbol, ExprId>,
    work: u64,
}

impl Substitution {
    /// Replaces nothing.
    pub(super) fn begin(&mut self) {
        self.rebuilt.reset();
        self.concerned.clear();
        self.values.clear();
    }

    /// From now on, a symbol is this.
    pub(super) fn replace(&mut self, symbol: Symbol, value: ExprId) {
        self.values.insert(symbol, value);
        self.rebuilt.reset();
    }

    /// Expressions that were looked at so far.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// The expression with all symbols replaced.
    pub(super) fn apply(&mut self, pool: &mut Pool, id: ExprId) -> ExprId {
        let Substitution {
            rebuilt,
            values,
            work,
            ..
        } = self;
        let mut replace = |pool: &mut Pool, id: ExprId| {
            *work += 1;
            values.get(&pool.as_symbol(id)?).copied()
        };
        pool.rebuild(None, id, rebuilt, &mut replace)
    }

    /// The same, where `symbols` are all that are to be replaced: an expression without any of
    /// them is not looked into.
    fn apply_to_concerned(&mut self, pool: &mut Pool, symbols: &[Symbol], id: ExprId) -> ExprId {
        let Substitution {
            rebuilt,
            concerned,
            values,
            work,
        } = self;
        let mut replace = |pool: &mut Pool, id: ExprId| {
            *work += 1;
            let is_concerned = *concerned.entry(pool.symbols_number(id)).or_insert_with(|| {
                let set = pool.symbols(id);
                symbols.iter().any(|symbol| set.contains(*symbol))
            });
            if !is_concerned {
                return Some(id);
            }
            values.get(&pool.as_symbol(id)?).copied()
        };
        pool.rebuild(None, id, rebuilt, &mut replace)
    }

    /// Puts bindings of one time into each other. (The address of one read may depend on another
    /// read, and one store answer both.)
    pub(super) fn close(&mut self, pool: &mut Pool, bindings: &mut [(Symbol, ExprId)]) {
        let symbols: Vec<Symbol> = bindings.iter().map(|(symbol, _)| *symbol).collect();
        let required = |pool: &Pool, value: ExprId| {
            let set = pool.symbols(value);
            let required = symbols.iter().enumerate();
            required
                .filter(|(_, symbol)| set.contains(**symbol))
                .map(|(index, _)| index)
                .collect::<Vec<usize>>()
        };
        if bindings
            .iter()
            .all(|(_, value)| required(pool, *value).is_empty())
        {
            return;
        }
        self.begin();
        let mut begun = vec![false; bindings.len()];
        for first in 0..bindings.len() {
            let mut stack = vec![(first, false)];
            while let Some((index, ready)) = stack.pop() {
                let (symbol, value) = bindings[index];
                if ready {
                    bindings[index].1 = self.apply_to_concerned(pool, &symbols, value);
                    self.values.insert(symbol, bindings[index].1);
                } else if !std::mem::replace(&mut begun[index], true) {
                    stack.push((index, true));
                    stack.extend(required(pool, value).into_iter().map(|next| (next, false)));
                }
            }
        }
    }

    /// Puts bindings of one time into expressions.
    pub(super) fn bind_all<'e>(
        &mut self,
        pool: &mut Pool,
        bindings: &[(Symbol, ExprId)],
        expressions: impl Iterator<Item = &'e mut ExprId>,
    ) {
        let symbols: Vec<Symbol> = bindings.iter().map(|(symbol, _)| *symbol).collect();
        self.begin();
        self.values.extend(bindings.iter().copied());
        for expression in expressions {
            *expression = self.apply_to_concerned(pool, &symbols, *expression);
        }
    }

    /// Puts bindings into expressions; whether that changed any.
    ///
    /// Law: the value of a binding says nothing of symbols that were bound before it. (A symbol
    /// stands for a value from before the place that the path has come to; once the path has
    /// passed the definition, nothing refers to it any more.) So bindings are put in from the last
    /// to the first, and each expression is rebuilt once.
    pub(super) fn bind_in_order<'e>(
        &mut self,
        pool: &mut Pool,
        bindings: Vec<(Symbol, ExprId)>,
        expressions: impl Iterator<Item = &'e mut ExprId>,
    ) -> bool {
        let symbols: Vec<Symbol> = bindings.iter().map(|(symbol, _)| *symbol).collect();
        self.begin();
        for (symbol, value) in bindings.into_iter().rev() {
            let value = self.apply_to_concerned(pool, &symbols, value);
            self.values.insert(symbol, value);
        }
        let mut changed = false;
        for expression in expressions {
            let new = self.apply_to_concerned(pool, &symbols, *expression);
            changed |= new != *expression;
            *expression = new;
        }
        changed
    }
}

/// The scalars of two values of one type, side by side.
pub(crate) fn pair_scalars(
    used: &SymbolicValue,
    value: &SymbolicValue,
    pairs: &mut Vec<(ExprId, ExprId)>,
) {
    match (used, value) {
        (IrValue::Scalar(used), IrValue::Scalar(value)) => pairs.push((*used, *value)),
        (IrValue::Parts(used), IrValue::Parts(value)) => {
            used.iter()
                .zip(value)
                .for_each(|(used, value)| pair_scalars(used, value, pairs));
        }
        _ => {}
    }
}
