//! What single bytes of the input may be, as conditions on them alone say.

use labrys_expr::{Columns, ExprId, Op, Pool, Symbol};
use rustc_hash::FxHashMap;

/// What is made of more expressions is not evaluated.
const MOST_NODES: usize = 500;

/// A set of byte values.
type Domain = [u64; 4];

/// The values of bytes, by symbol; a byte that is not here may have any.
///
/// Invariant: the byte of the run is among them.
#[derive(Debug, Default)]
pub(crate) struct Domains {
    domains: FxHashMap<Symbol, Domain>,
}

impl Domains {
    /// Takes the values from a byte under which a condition is false. The byte, if the condition
    /// speaks of it alone and excludes a value.
    pub(crate) fn narrow(
        &mut self,
        pool: &Pool,
        columns: &mut Columns,
        condition: ExprId,
    ) -> Option<Symbol> {
        let symbol = only_byte(pool, condition)?;
        if pool.has_more_nodes([condition], MOST_NODES) {
            return None;
        }
        let before = self.domains.get(&symbol).copied().unwrap_or([u64::MAX; 4]);
        let column = columns.of(pool, condition, &no_calls);
        let mut after = [0; 4];
        for value in values(before) {
            let holds = column.get(value)? == 1;
            after[usize::from(value) / 64] |= u64::from(holds) << (value % 64);
        }
        (after != before).then(|| {
            self.domains.insert(symbol, after);
            symbol
        })
    }

    /// The value of an expression as a constant, if it depends on a byte alone and is the same for all
    /// values that the byte may have.
    ///
    /// It looks at results of tables and of comparisons, and at bytes: others are constant where
    /// their operands are.
    pub(crate) fn constant(
        &mut self,
        pool: &mut Pool,
        columns: &mut Columns,
        id: ExprId,
    ) -> Option<ExprId> {
        let node = pool.node(id);
        if !matches!(node.op(), Op::Table | Op::Symbol | Op::Ite) && node.width() != 1 {
            return None;
        }
        let symbol = only_byte(pool, id)?;
        let mut values = values(*self.domains.get(&symbol)?);
        if pool.has_more_nodes([id], MOST_NODES) {
            return None;
        }
        let column = columns.of(pool, id, &no_calls);
        let first = column.get(values.next()?)?;
        if values.any(|value| column.get(value) != Some(first)) {
            return None;
        }
        Some(pool.constant(pool.width(id), first))
    }
}

/// No results of calls are known here.
fn no_calls(_: Symbol) -> u128 {
    0
}

/// The byte that an expression depends on, if that is one.
fn only_byte(pool: &Pool, id: ExprId) -> Option<Symbol> {
    let symbols = pool.symbols(id);
    let [(start, end)] = symbols.ranges() else {
        return None;
    };
    let symbol = (end - start == 1).then(|| symbols.iter().next())??;
    matches!(symbol, Symbol::Byte { .. }).then_some(symbol)
}

/// The values in ascending order.
fn values(domain: Domain) -> impl Iterator<Item = u8> {
    (0..=u8::MAX).filter(move |value| domain[usize::from(*value) / 64] >> (value % 64) & 1 == 1)
}
