//! Conditions on a single symbol: on a byte, decided by trying all its values; on a wider one, if
//! they say what it is.
//!
//! Most conditions of a parser are such. Laws: where the conditions on one symbol have no common
//! value, they are a core; a value that is chosen satisfies all conditions on its symbol alone; a
//! value that is fixed is the only one that does.

use std::collections::BTreeMap;

use labrys_expr::{ExprId, Op, Pool, Symbol, SymbolSet};
use rustc_hash::FxHashSet;

use crate::query::{Assignment, Model};
use crate::slice::Part;
use crate::tabulated::Tabulated;

/// Conditions of more nodes than this are left to others.
const MOST_NODES: usize = 500;

/// A set of byte values.
type Domain = [u64; 4];

const ALL: Domain = [u64::MAX; 4];

/// What the conditions on single symbols say.
pub(crate) enum Single {
    /// These parts, by position, cannot all be true.
    Core(Vec<usize>),
    /// Values for the symbols whose hinted value does not satisfy their conditions, and the
    /// symbols that have one possible value.
    Values(Model, Fixed),
}

/// Symbols with the positions of the parts that leave them one value.
#[derive(Default)]
pub(crate) struct Fixed(BTreeMap<Symbol, Vec<usize>>);

impl Fixed {
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

    /// The parts that fix those of these symbols that are fixed.
    pub(crate) fn reasons(&self, symbols: SymbolSet<'_>) -> impl Iterator<Item = usize> {
        let fixed = self
            .0
            .iter()
            .filter(move |(symbol, _)| symbols.contains(**symbol));
        fixed.flat_map(|(_, parts)| parts.iter().copied())
    }
}

/// The values that satisfy each condition.
#[derive(Default)]
pub(crate) struct Domains(Tabulated<Domain>);

impl Domains {
    pub(crate) fn decide(&mut self, pool: &Pool, parts: &[Part], hint: &Assignment) -> Single {
        let (mut chosen, mut fixed) = (Model::default(), Fixed::default());
        let mut by_symbol: BTreeMap<Symbol, Vec<(usize, Domain)>> = BTreeMap::new();
        for (position, part) in parts.iter().enumerate() {
            let Some(symbol) = only_symbol(pool, part.id) else {
                continue;
            };
            if symbol.width() > 8 {
                if let Some(value) = equated(pool, part.id) {
                    chosen.0.insert(symbol, value);
                    fixed.0.insert(symbol, vec![position]);
                }
            } else if let Some(domain) = self.of(pool, part.id, symbol) {
                by_symbol
                    .entry(symbol)
                    .or_default()
                    .push((position, domain));
            }
        }
        for (symbol, domains) in by_symbol {
            let common = domains
                .iter()
                .fold(ALL, |all, (_, domain)| meet(all, *domain));
            let hinted = hint.get(symbol) as u8;
            if common == [0; 4] {
                return Single::Core(core(&domains));
            }
            if !has(common, hinted) {
                chosen.0.insert(symbol, nearest(common, hinted).into());
            }
            if size(common) == 1 {
                fixed.0.insert(symbol, reasons(&domains));
            }
        }
        Single::Values(chosen, fixed)
    }

    fn of(&mut self, pool: &Pool, id: ExprId, symbol: Symbol) -> Option<Domain> {
        let fits = || is_small(pool, id);
        self.0.of(pool, id, symbol, fits, |values| {
            let mut domain = [0; 4];
            for (at, value) in values.enumerate() {
                domain[at / 64] |= u64::from(value?.is_true()) << (at % 64);
            }
            Some(domain)
        })
    }
}

/// The symbol of an expression that depends on one alone.
fn only_symbol(pool: &Pool, id: ExprId) -> Option<Symbol> {
    let set = pool.symbols(id);
    let [(start, end)] = set.ranges() else {
        return None;
    };
    (end - start == 1).then(|| set.iter().next())?
}

/// The value of `symbol = value`.
fn equated(pool: &Pool, id: ExprId) -> Option<u128> {
    let node = pool.node(id);
    let [symbol, value] = node.operands() else {
        return None;
    };
    pool.as_symbol(*symbol).filter(|_| node.op() == Op::Eq)?;
    pool.bits(*value)
}

fn is_small(pool: &Pool, id: ExprId) -> bool {
    let (mut seen, mut stack) = (FxHashSet::default(), vec![id]);
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            pool.for_each_child(id, |child| stack.push(child));
        }
        if seen.len() > MOST_NODES {
            return false;
        }
    }
    true
}

fn meet(a: Domain, b: Domain) -> Domain {
    [a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]]
}

fn has(domain: Domain, value: u8) -> bool {
    domain[usize::from(value) / 64] >> (value % 64) & 1 == 1
}

fn size(domain: Domain) -> u32 {
    domain.iter().map(|word| word.count_ones()).sum()
}

/// Positions of domains that leave one value together.
fn reasons(domains: &[(usize, Domain)]) -> Vec<usize> {
    match domains.iter().find(|(_, domain)| size(*domain) == 1) {
        Some((position, _)) => vec![*position],
        None => domains.iter().map(|(position, _)| *position).collect(),
    }
}

/// The value of a domain that is nearest to `hinted`.
fn nearest(domain: Domain, hinted: u8) -> u8 {
    let values = (0..=u8::MAX).filter(|value| has(domain, *value));
    values
        .min_by_key(|value| value.abs_diff(hinted))
        .unwrap_or(hinted)
}

/// Positions of domains without a common value, of which none can be left out. The last, the
/// goal's, is left out last.
fn core(domains: &[(usize, Domain)]) -> Vec<usize> {
    let mut kept = domains.to_vec();
    let mut at = 0;
    while at < kept.len() {
        let others = kept.iter().enumerate().filter(|(other, _)| *other != at);
        if others.fold(ALL, |all, (_, (_, domain))| meet(all, *domain)) == [0; 4] {
            kept.remove(at);
        } else {
            at += 1;
        }
    }
    kept.into_iter().map(|(position, _)| position).collect()
}

#[cfg(test)]
mod tests {
    use super::{core, nearest};

    #[test]
    fn cores_are_minimal() {
        let (low, high, even) = ([u64::MAX, 0, 0, 0], [0, 0, 0, 7], [0x5555; 4]);
        assert_eq!(core(&[(3, low), (5, even), (8, high)]), [3, 8]);
    }

    #[test]
    fn the_nearest_value_is_chosen() {
        assert_eq!(nearest([0b1001, 0, 0, 1], 2), 3);
        assert_eq!(nearest([0b1001, 0, 0, 1], 200), 192);
    }
}
