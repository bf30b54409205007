//! Conditions on a single symbol: on a byte, decided by trying all its values; on a wider one, if
//! they say what it is.
//!
//! Most conditions of a parser are such. Laws: where the conditions on one symbol have no common
//! value, they are a core; a value that is chosen satisfies all conditions on its symbol alone; a
//! value that is fixed is the only one that does.

use std::collections::BTreeMap;

use labrys_expr::Symbol;

use crate::domains::{Domain, Domains, Said};
use crate::parts::complete;
use crate::query::Model;
use crate::schedule::{Layer, Patience, Shared, Task, Verdict};

/// The layer.
#[derive(Default)]
pub(super) struct Bytes;

impl Layer for Bytes {
    fn name(&self) -> &'static str {
        "bytes"
    }

    /// Answers by the values of single symbols alone. Else `near` has a value for each that
    /// satisfies the conditions on it alone, and the task knows those that can have no other.
    fn run(&mut self, task: &mut Task<'_, '_>, shared: &mut Shared, _: Patience) -> Verdict {
        let chosen = match choose(task, &mut shared.domains) {
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
                return Verdict::Core(task.fixed.reasons_with(pool, &task.parts, position));
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

/// Values for the symbols whose hinted value does not satisfy the conditions on them alone;
/// else positions of parts that leave a symbol no value.
fn choose(task: &mut Task<'_, '_>, domains: &mut Domains) -> Result<Model, Vec<usize>> {
    let pool = &*task.query.pool;
    let mut chosen = Model::default();
    let mut by_symbol: BTreeMap<Symbol, Vec<(usize, Domain)>> = BTreeMap::new();
    for (position, part) in task.parts.iter().enumerate() {
        match domains.said_by(pool, part.id) {
            Some((symbol, Said::Value(value))) => {
                chosen.0.insert(symbol, value);
                task.fixed.insert(symbol, vec![position]);
            }
            Some((symbol, Said::Domain(domain))) => {
                let domains = by_symbol.entry(symbol).or_default();
                domains.push((position, domain));
            }
            None => {}
        }
    }
    for (symbol, domains) in by_symbol {
        let common = Domain::common(&domains);
        let hinted = task.query.hint.get(symbol) as u8;
        if common.is_empty() {
            return Err(core(&domains));
        }
        if !common.has(hinted) {
            chosen.0.insert(symbol, common.nearest(hinted).into());
        }
        if common.only().is_some() {
            task.fixed.insert(symbol, reasons(&domains));
        }
    }
    Ok(chosen)
}

/// Positions of domains that leave one value together.
fn reasons(domains: &[(usize, Domain)]) -> Vec<usize> {
    match domains.iter().find(|(_, domain)| domain.only().is_some()) {
        Some((position, _)) => vec![*position],
        None => domains.iter().map(|(position, _)| *position).collect(),
    }
}

/// Positions of domains without a common value, of which none can be left out. The last, the
/// goal's, is left out last.
fn core(domains: &[(usize, Domain)]) -> Vec<usize> {
    let mut kept = domains.to_vec();
    let mut at = 0;
    while at < kept.len() {
        let (position, domain) = kept.remove(at);
        if !Domain::common(&kept).is_empty() {
            kept.insert(at, (position, domain));
            at += 1;
        }
    }
    kept.into_iter().map(|(position, _)| position).collect()
}

#[cfg(test)]
mod tests {
    use super::core;
    use crate::domains::Domain;

    #[test]
    fn cores_are_minimal() {
        let of =
            |values: &dyn Fn(u8) -> bool| Domain::of((0..=u8::MAX).filter(|value| values(*value)));
        let (low, high) = (of(&|value| value < 64), of(&|value| value > 191));
        let even = of(&|value| value % 2 == 0);
        assert_eq!(core(&[(3, low), (5, even), (8, high)]), [3, 8]);
    }
}
