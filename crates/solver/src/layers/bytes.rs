//! Conditions on a single symbol: on a byte, decided by trying all its values; on a wider one, if
//! they say what it is.
//!
//! Most conditions of a parser are such. Laws: where the conditions on one symbol have no common
//! value, they are a core; a value that is chosen satisfies all conditions on its symbol alone; a
//! value that is fixed is the only one that does.

use std::collections::BTreeMap;

use labrys_expr::{ExprId, Op, Pool, Symbol};

use crate::parts::complete;
use crate::query::Model;
use crate::schedule::{Layer, Patience, Shared, Task, Verdict};
use crate::value_tables::ValueTables;

/// A set of byte values.
type Domain = [u64; 4];

const ALL: Domain = [u64::MAX; 4];

/// The layer: the values that satisfy each condition.
#[derive(Default)]
pub(super) struct Bytes(ValueTables<Domain>);

impl Layer for Bytes {
    fn name(&self) -> &'static str {
        "bytes"
    }

    /// Answers by the values of single symbols alone. Else `near` has a value for each that
    /// satisfies the conditions on it alone, and the task knows those that can have no other.
    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, _: Patience) -> Verdict {
        let chosen = match self.choose(task) {
            Ok(chosen) => chosen,
            Err(core) => return Verdict::Core(core),
        };
        let pool = &*task.query.pool;
        shared.near.start(pool, &task.query.hint.with(&chosen));
        let mut all = true;
        for (position, part) in task.parts.iter().enumerate() {
            let value = shared.near.value(pool, part.id);
            all &= value == Some(1);
            let symbols = pool.symbols(part.id);
            if value == Some(0) && task.fixed.covers(symbols) {
                let reasons = task.fixed.reasons(symbols);
                return Verdict::Core(reasons.chain([position]).collect());
            }
        }
        if !all {
            return Verdict::Pass;
        }
        let mut model = chosen;
        complete(pool, &task.parts, shared.near.assignment(), &mut model);
        Verdict::Model(model)
    }
}

impl Bytes {
    /// Values for the symbols whose hinted value does not satisfy the conditions on them alone;
    /// else positions of parts that leave a symbol no value.
    fn choose(&mut self, task: &mut Task<'_, '_>) -> Result<Model, Vec<usize>> {
        let pool = &*task.query.pool;
        let mut chosen = Model::default();
        let mut by_symbol: BTreeMap<Symbol, Vec<(usize, Domain)>> = BTreeMap::new();
        for (position, part) in task.parts.iter().enumerate() {
            let Some(symbol) = only_symbol(pool, part.id) else {
                continue;
            };
            if symbol.width() > 8 {
                if let Some(value) = equated(pool, part.id) {
                    chosen.0.insert(symbol, value);
                    task.fixed.insert(symbol, vec![position]);
                }
            } else if let Some(domain) = self.domain(pool, part.id, symbol) {
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
            let hinted = task.query.hint.get(symbol) as u8;
            if common == [0; 4] {
                return Err(core(&domains));
            }
            if !has(common, hinted) {
                chosen.0.insert(symbol, nearest(common, hinted).into());
            }
            if size(common) == 1 {
                task.fixed.insert(symbol, reasons(&domains));
            }
        }
        Ok(chosen)
    }

    fn domain(&mut self, pool: &Pool, id: ExprId, symbol: Symbol) -> Option<Domain> {
        self.0.of(pool, id, symbol, |values| {
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
