//! Which input is changed next.
//!
//! An input is *favored* if it is the shortest of all that take some branch in some class of numbers of
//! times (as in AFL). Inputs take turns in the order in which they were kept, new ones first; those
//! that are not favored, or whose children take long, are mostly passed over.
//!
//! Law: choices follow from what was added and the random numbers alone.

use libafl::corpus::CorpusId;

/// A seed that is not favored has one turn of so many.
const OTHERS: u32 = 8;

/// A kept input.
#[derive(Clone, Debug)]
struct Seed {
    id: CorpusId,
    length: usize,
    /// Branches of which it is the shortest.
    holds: usize,
    /// Turns that a child ended which took long.
    slow: u32,
    /// Whether it had a turn.
    used: bool,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seeds {
    seeds: Vec<Seed>,
    /// By branch: the class in which the holder takes it, and its position.
    holders: Vec<(u8, usize)>,
    next: usize,
}

impl Seeds {
    /// Adds an input of this length, which takes branches in these classes (0 for not at all).
    pub(crate) fn add(&mut self, id: CorpusId, length: usize, classes: &[u8]) {
        let own = self.seeds.len();
        self.holders.resize(classes.len(), (0, own));
        let mut holds = 0;
        for (class, holder) in classes.iter().zip(&mut self.holders) {
            let (held, by) = *holder;
            let shorter = *class == held && self.seeds.get(by).is_some_and(|by| by.length > length);
            if *class > held || *class > 0 && shorter {
                if let Some(loser) = self.seeds.get_mut(by).filter(|_| held > 0) {
                    loser.holds -= 1;
                }
                *holder = (*class, own);
                holds += 1;
            }
        }
        self.seeds.push(Seed {
            id,
            length,
            holds,
            slow: 0,
            used: false,
        });
    }

    /// The position of the seed that has the next turn; `random` gives a number below another one.
    pub(crate) fn choose(&mut self, mut random: impl FnMut(u32) -> u32) -> Option<usize> {
        if self.seeds.is_empty() {
            return None;
        }
        let fresh = |seed: &Seed| seed.holds > 0 && !seed.used;
        let chosen = match self.seeds.iter().rposition(fresh) {
            Some(newest) => newest,
            None => self.round(&mut random),
        };
        self.seeds[chosen].used = true;
        Some(chosen)
    }

    /// The next of the round that is not passed over; after a whole round the next whatever it is.
    fn round(&mut self, random: &mut impl FnMut(u32) -> u32) -> usize {
        for _ in 0..self.seeds.len() {
            let at = self.next % self.seeds.len();
            self.next = at + 1;
            let seed = &self.seeds[at];
            let of = if seed.holds > 0 { 1 } else { OTHERS };
            if random(of.saturating_mul(1 + seed.slow)) == 0 {
                return at;
            }
        }
        self.next % self.seeds.len()
    }

    /// Some seed; `random` gives a number below another one.
    pub(crate) fn any(&self, random: impl FnOnce(usize) -> usize) -> Option<CorpusId> {
        let last = self.seeds.len().checked_sub(1)?;
        Some(self.id(random(last + 1)))
    }

    pub(crate) fn id(&self, position: usize) -> CorpusId {
        self.seeds[position].id
    }

    /// Children of a seed took long, or one was cut off.
    pub(crate) fn note_slow(&mut self, position: usize) {
        self.seeds[position].slow += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// New favored seeds come first; then those that hold nothing any more have few turns.
    #[test]
    fn favored_seeds_have_most_turns() {
        let mut seeds = Seeds::default();
        assert_eq!(seeds.choose(|_| 0), None);
        seeds.add(CorpusId(0), 9, &[1, 0, 1]);
        seeds.add(CorpusId(1), 5, &[1, 0, 1]);
        seeds.add(CorpusId(2), 7, &[0, 2, 0]);
        let mut number = 0;
        let mut random = |below| {
            number += 5;
            number % below
        };
        assert_eq!(seeds.choose(&mut random), Some(2));
        assert_eq!(seeds.choose(&mut random), Some(1));
        let mut turns = [0; 3];
        for _ in 0..1000 {
            turns[seeds.choose(&mut random).unwrap()] += 1;
        }
        assert!(turns[0] > 0 && turns[0] < 200, "{turns:?}");
        assert!(turns[1] > 300 && turns[2] > 300, "{turns:?}");
    }
}
