//! What a condition on a single symbol says of it.

use labrys_expr::{ExprId, Op, Pool, Symbol};

use crate::value_tables::ValueTables;

/// A set of byte values, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Domain([u64; 4]);

impl Domain {
    /// All values.
    pub(crate) const ALL: Domain = Domain([u64::MAX; 4]);

    /// These values.
    #[cfg(test)]
    pub(crate) fn of(values: impl IntoIterator<Item = u8>) -> Self {
        let mut domain = [0; 4];
        for value in values {
            domain[usize::from(value) / 64] |= 1 << (value % 64);
        }
        Domain(domain)
    }

    /// The values that two sets have in common.
    pub(crate) fn meet(self, other: Domain) -> Self {
        let (Domain(a), Domain(b)) = (self, other);
        Domain([a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]])
    }

    /// The values that all of these sets have.
    pub(crate) fn common(domains: &[(usize, Domain)]) -> Self {
        let domains = domains.iter().map(|(_, domain)| *domain);
        domains.fold(Domain::ALL, Domain::meet)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == [0; 4]
    }

    pub(crate) fn has(self, value: u8) -> bool {
        self.0[usize::from(value) / 64] >> (value % 64) & 1 == 1
    }

    fn values(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |value| self.has(*value))
    }

    /// The value, if it is the only one.
    pub(crate) fn only(self) -> Option<u8> {
        let count: u32 = self.0.iter().map(|word| word.count_ones()).sum();
        (count == 1).then(|| self.values().next())?
    }

    /// The value that is nearest to `hinted`.
    pub(crate) fn nearest(self, hinted: u8) -> u8 {
        let nearest = self.values().min_by_key(|value| value.abs_diff(hinted));
        nearest.unwrap_or(hinted)
    }
}

/// What a condition says of its only symbol.
pub(crate) enum Said {
    /// A symbol of at most a byte has one of these values.
    Domain(Domain),
    /// A wider one has this value.
    Value(u128),
}

/// Conditions on single symbols, each looked at once.
#[derive(Default)]
pub(crate) struct Domains(ValueTables<Domain>);

impl Domains {
    /// As [`ValueTables::stay_with`].
    pub(crate) fn stay_with(&mut self, pool: &Pool) {
        self.0.stay_with(pool);
    }

    /// What a condition says that is on one symbol alone; `None` if that is more than is said here.
    pub(crate) fn said_by(&mut self, pool: &Pool, id: ExprId) -> Option<(Symbol, Said)> {
        let symbol = only_symbol(pool, id)?;
        let said = match symbol.width() {
            0..=8 => Said::Domain(self.domain(pool, id, symbol)?),
            _ => Said::Value(equated(pool, id)?),
        };
        Some((symbol, said))
    }

    /// Nodes that were visited so far.
    pub(crate) fn visited(&self) -> u64 {
        self.0.visited()
    }

    fn domain(&mut self, pool: &Pool, id: ExprId, symbol: Symbol) -> Option<Domain> {
        self.0.of(pool, id, symbol, |values| {
            let mut domain = [0; 4];
            for (at, value) in values.enumerate() {
                domain[at / 64] |= u64::from(value?.is_true()) << (at % 64);
            }
            Some(Domain(domain))
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

#[cfg(test)]
mod tests {
    use super::Domain;

    #[test]
    fn the_nearest_value_is_chosen() {
        let domain = Domain::of([0, 3, 192]);
        assert_eq!(domain.nearest(2), 3);
        assert_eq!(domain.nearest(200), 192);
    }

    #[test]
    fn a_value_is_the_only_one_where_no_other_is_left() {
        assert_eq!(Domain::of([7, 9]).only(), None);
        assert_eq!(
            Domain::of([7, 9]).meet(Domain::of([9, 200])).only(),
            Some(9)
        );
        assert!(Domain::of([7]).meet(Domain::of([9])).is_empty());
    }
}
