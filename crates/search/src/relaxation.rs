//! When soft constraints may be dropped.
//!
//! A query without its soft constraints often has a model where the program does something else
//! than predicted. At some branches it nearly always has (the number of bytes read decides which
//! addresses were written), at others nearly never, so each branch earns its tries. A query that has
//! no model without them either brought nothing too.

use rustc_hash::FxHashMap;

/// Tries that every branch has for nothing.
const FREE_TRIES: u32 = 3;

/// Tries and failures of relaxed queries by branch, `(site, direction)`.
#[derive(Debug, Default)]
pub(crate) struct Relaxation {
    records: FxHashMap<(u32, u32), Record>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Record {
    tries: u32,
    failed: u32,
}

impl Relaxation {
    /// Whether the soft constraints of a query for this branch may be dropped: unless more than
    /// three of four tries failed.
    pub(crate) fn is_worth(&self, branch: (u32, u32)) -> bool {
        let record = self.records.get(&branch).copied().unwrap_or_default();
        record.tries < FREE_TRIES || 4 * record.failed <= 3 * record.tries
    }

    /// Learns how a relaxed query ended.
    pub(crate) fn learn(&mut self, branch: (u32, u32), failed: bool) {
        let record = self.records.entry(branch).or_default();
        record.tries += 1;
        record.failed += u32::from(failed);
    }
}

#[cfg(test)]
mod tests {
    use super::Relaxation;

    #[test]
    fn a_branch_that_always_diverges_is_given_up() {
        let mut relaxation = Relaxation::default();
        for _ in 0..3 {
            assert!(relaxation.is_worth((1, 0)));
            relaxation.learn((1, 0), true);
        }
        assert!(!relaxation.is_worth((1, 0)));
        assert!(relaxation.is_worth((1, 1)));
    }

    #[test]
    fn a_branch_that_often_succeeds_goes_on() {
        let mut relaxation = Relaxation::default();
        for i in 0..100 {
            assert!(relaxation.is_worth((1, 0)));
            relaxation.learn((1, 0), i % 2 == 0);
        }
    }
}
