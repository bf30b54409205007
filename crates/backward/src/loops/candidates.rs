//! Candidates for loop invariants where a constraint itself is none: comparisons of one symbol with
//! numbers that constraints name.

use labrys_expr::{ExprId, Op, Pool, Symbol};
use rustc_hash::FxHashSet;

/// Symbols, and numbers for one, that are tried.
const MAX_SYMBOLS: usize = 4;
const MAX_NUMBERS: usize = 10;

/// The symbols of constraints, of those that vary, that candidates are sought for.
pub(super) fn subjects(
    pool: &Pool,
    constraints: &[ExprId],
    varying: &FxHashSet<Symbol>,
) -> Vec<ExprId> {
    let mut subjects = Vec::new();
    visit(pool, constraints, &mut |id| {
        let symbol = pool.as_symbol(id);
        if symbol.is_some_and(|symbol| varying.contains(&symbol) && symbol.width() > 1) {
            subjects.push(id);
        }
    });
    subjects.truncate(MAX_SYMBOLS);
    subjects
}

/// Numbers of so many bits that constraints name.
pub(super) fn numbers(pool: &Pool, constraints: &[ExprId], width: u32) -> Vec<u128> {
    let mut numbers = vec![0];
    visit(pool, constraints, &mut |id| {
        if let (Op::Const, Some(bits)) = (pool.op(id), pool.bits(id)) {
            if pool.width(id) == width && !numbers.contains(&bits) {
                numbers.push(bits);
            }
        }
    });
    numbers.truncate(MAX_NUMBERS);
    numbers
}

fn visit(pool: &Pool, constraints: &[ExprId], look: &mut dyn FnMut(ExprId)) {
    let mut seen: FxHashSet<ExprId> = FxHashSet::default();
    let mut stack: Vec<ExprId> = constraints.iter().rev().copied().collect();
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            look(id);
            pool.for_each_child(id, |child| stack.push(child));
        }
    }
}

/// Candidates for conditions on a symbol: narrow ones first.
pub(super) fn about(pool: &mut Pool, symbol: ExprId, numbers: &[u128]) -> Vec<ExprId> {
    let width = pool.width(symbol);
    let zero = pool.constant(width, 0);
    let below_zero = pool.slt(symbol, zero);
    let mut narrow = Vec::new();
    let mut wide = Vec::new();
    for bits in numbers {
        let number = pool.constant(width, *bits);
        let above = pool.slt(number, symbol);
        let from = pool.sle(number, symbol);
        let below = pool.slt(symbol, number);
        narrow.extend([pool.eq(symbol, number), above, from, below]);
        let negative = bits >> (width - 1) == 1;
        if !negative {
            wide.push(pool.or(below_zero, above));
        }
        if !negative && *bits > 0 {
            wide.push(pool.or(below_zero, from));
        }
    }
    narrow.append(&mut wide);
    let mut seen = FxHashSet::default();
    narrow.retain(|condition| pool.bits(*condition).is_none() && seen.insert(*condition));
    narrow
}
