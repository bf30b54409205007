//! Coverage: a set of branches.

use labrys_program::BranchId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A set of branches, as one bit per branch. Serialized as a text, `2-3,100`.
///
/// Two sets are equal if they have the same members, whatever room they were made with.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    words: Vec<u64>,
}

impl Coverage {
    /// The empty set, with room for this many branches.
    #[must_use]
    pub fn new(branches: usize) -> Self {
        Self {
            words: vec![0; branches.div_ceil(64)],
        }
    }

    /// The branches whose byte is not 0, as a run writes them.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let word = |chunk: &[u8]| {
            chunk
                .iter()
                .enumerate()
                .fold(0, |word, (bit, &byte)| word | u64::from(byte != 0) << bit)
        };
        Self {
            words: bytes.chunks(64).map(word).collect(),
        }
    }

    /// Adds a branch; tells whether it is new.
    pub fn insert(&mut self, branch: BranchId) -> bool {
        let (index, bit) = (branch.index() / 64, 1 << (branch.index() % 64));
        if index >= self.words.len() {
            self.words.resize(index + 1, 0);
        }
        let new = self.words[index] & bit == 0;
        self.words[index] |= bit;
        new
    }

    /// Whether a branch is a member.
    #[must_use]
    pub fn contains(&self, branch: BranchId) -> bool {
        self.words
            .get(branch.index() / 64)
            .is_some_and(|word| word >> (branch.index() % 64) & 1 == 1)
    }

    /// Number of members.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Adds all members of another set; returns how many are new.
    pub fn union(&mut self, other: &Coverage) -> usize {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut new = 0;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            new += (other & !*word).count_ones() as usize;
            *word |= other;
        }
        new
    }

    /// The members that another set lacks.
    #[must_use]
    pub fn new_over(&self, other: &Coverage) -> Coverage {
        let word = |(index, word): (usize, &u64)| word & !other.words.get(index).unwrap_or(&0);
        Coverage {
            words: self.words.iter().enumerate().map(word).collect(),
        }
    }

    /// Whether all members belong to another set.
    #[must_use]
    pub fn is_subset(&self, other: &Coverage) -> bool {
        self.new_over(other).is_empty()
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = BranchId> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let next = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
            std::iter::successors(Some(word).filter(|word| *word != 0), next)
                .map(move |rest| BranchId::new(index * 64 + rest.trailing_zeros() as usize))
        })
    }

    /// The members as inclusive ranges, ascending and not touching.
    fn ranges(&self) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for BranchId(branch) in self.iter() {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == branch => *last = branch,
                _ => ranges.push((branch, branch)),
            }
        }
        ranges
    }
}

impl PartialEq for Coverage {
    fn eq(&self, other: &Self) -> bool {
        self.is_subset(other) && other.is_subset(self)
    }
}

impl Eq for Coverage {}

impl FromIterator<BranchId> for Coverage {
    fn from_iter<I: IntoIterator<Item = BranchId>>(branches: I) -> Self {
        let mut coverage = Coverage::default();
        for branch in branches {
            coverage.insert(branch);
        }
        coverage
    }
}

impl core::fmt::Display for Coverage {
    /// Members and ranges of members: `2-3,100`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (index, (first, last)) in self.ranges().into_iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match first == last {
                true => write!(f, "{comma}{first}")?,
                false => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

/// Members from here on are refused when read: no program has so many branches.
const MOST_BRANCHES: u32 = 1 << 24;

impl core::str::FromStr for Coverage {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| text.parse().map_err(|_| "not a list of branches");
        let mut coverage = Coverage::default();
        // Ranges ascend as they are written, so no branch is read twice.
        let mut next = 0;
        for range in text.split(',').filter(|_| !text.is_empty()) {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (number(first)?, number(last)?);
            if first < next || first > last || last >= MOST_BRANCHES {
                return Err("not ascending ranges of branches");
            }
            next = last + 1;
            for branch in first..=last {
                coverage.insert(BranchId(branch));
            }
        }
        Ok(coverage)
    }
}

impl Serialize for Coverage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Coverage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn coverage(set: &BTreeSet<u32>) -> Coverage {
        set.iter().copied().map(BranchId).collect()
    }

    proptest! {
        #[test]
        fn behaves_like_a_set(
            a in prop::collection::btree_set(0_u32..300, 0..80),
            b in prop::collection::btree_set(0_u32..300, 0..80),
        ) {
            let (mut left, right) = (coverage(&a), coverage(&b));
            prop_assert_eq!(left.count(), a.len());
            prop_assert!(left.iter().map(|branch| branch.0).eq(a.iter().copied()));
            prop_assert_eq!(left.new_over(&right), coverage(&a.difference(&b).copied().collect()));
            prop_assert_eq!(left.union(&right), b.difference(&a).count());
            prop_assert_eq!(&left, &coverage(&a.union(&b).copied().collect()));
            prop_assert!(right.is_subset(&left));
            let json = serde_json::to_string(&left).unwrap();
            prop_assert_eq!(serde_json::from_str::<Coverage>(&json).unwrap(), left);
        }
    }

    #[test]
    fn reads_the_bytes_of_a_run() {
        let mut bytes = [0; 130];
        bytes[3] = 1;
        bytes[129] = 255;
        let coverage = Coverage::from_bytes(&bytes);
        assert!(coverage.iter().eq([BranchId(3), BranchId(129)]));
        assert!(coverage.contains(BranchId(129)) && !coverage.contains(BranchId(1000)));
        assert_eq!(coverage.to_string(), "3,129");
    }

    #[test]
    fn refuses_absurd_ranges() {
        // The last two took seconds to read, many times over the same branches.
        for text in [
            "0-4294967295",
            "5-4",
            "1,,2",
            "-1",
            "x",
            "1-2-3",
            "0-268435455",
            "0-9000000,0-9000000",
        ] {
            assert!(text.parse::<Coverage>().is_err(), "{text}");
        }
        assert_eq!("".parse::<Coverage>(), Ok(Coverage::default()));
    }
}
