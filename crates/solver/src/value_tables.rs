//! Functions of one small symbol, known by their values.
//!
//! Programs ask the same of one byte after the other, and of the same bytes in each run. So what
//! was found by trying all values is remembered by how the expression is written, whatever its
//! symbol and its pool.

use labrys_expr::{Columns, ExprId, Fingerprints, Pool, Symbol, Value};
use rustc_hash::FxHashMap;

use crate::query::Assignment;

/// Functions that are remembered.
const MOST: usize = 8192;

/// Expressions that a function is made of.
const MOST_NODES: usize = 500;

/// Nodes that are visited in the time in which one is computed for all values.
const COLUMN: u64 = 16;

/// What is made of the values of each function; `None` if it is too large or a value is unknown.
pub(crate) struct ValueTables<T> {
    /// Of the pool that it stays with, and of another one: by its generation.
    stays: (u64, FxHashMap<ExprId, Option<T>>),
    other: (u64, FxHashMap<ExprId, Option<T>>),
    prints: Fingerprints,
    remembered: FxHashMap<u128, Option<T>>,
    columns: Columns,
}

impl<T> Default for ValueTables<T> {
    fn default() -> Self {
        ValueTables {
            stays: (0, FxHashMap::default()),
            other: (0, FxHashMap::default()),
            prints: Fingerprints::of_functions(),
            remembered: FxHashMap::default(),
            columns: Columns::default(),
        }
    }
}

impl<T: Clone> ValueTables<T> {
    /// Keeps what is known of the expressions of a pool until another one is to stay.
    pub(crate) fn stay_with(&mut self, pool: &Pool) {
        self.prints.stay_with(pool);
        begin(&mut self.stays, pool);
    }

    /// Nodes that were visited so far, or take as long.
    pub(crate) fn visited(&self) -> u64 {
        self.prints.computed() + COLUMN * self.columns.computed()
    }

    /// What `make` makes of the values of an expression, in the order of the values of its one
    /// symbol; `None` if the expression is too large for that, too.
    pub(crate) fn of(
        &mut self,
        pool: &Pool,
        id: ExprId,
        symbol: Symbol,
        make: impl FnOnce(&mut dyn Iterator<Item = Option<Value>>) -> Option<T>,
    ) -> Option<T> {
        let known = match self.stays.0 == pool.generation() {
            true => &mut self.stays,
            false => &mut self.other,
        };
        begin(known, pool);
        let known = &mut known.1;
        if let Some(known) = known.get(&id) {
            return known.clone();
        }
        let print = self.prints.of(pool, id);
        let made = match self.remembered.get(&print) {
            Some(remembered) => remembered.clone(),
            None => {
                let is_large = pool.has_more_nodes([id], MOST_NODES);
                let made = (!is_large).then(|| {
                    let column = self.columns.of(pool, id, &Assignment::constant(0));
                    let width = pool.width(id);
                    let values = (0..=u8::MAX).take(1 << symbol.width());
                    make(&mut values.map(|at| Some(Value::new(width, column.get(at)?))))
                });
                let made = made.flatten();
                if self.remembered.len() >= MOST {
                    self.remembered.clear();
                }
                self.remembered.insert(print, made.clone());
                made
            }
        };
        known.insert(id, made.clone());
        made
    }
}

/// Forgets what is known of another pool.
fn begin<T>((generation, known): &mut (u64, FxHashMap<ExprId, T>), pool: &Pool) {
    if *generation != pool.generation() {
        *generation = pool.generation();
        known.clear();
    }
}
